-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each origin its group by :by and, with :kinds, by its kind, which is a number from 0, its kind and its bytes; only those of :site,
-- with :suspects without the tracer's own. left_until_ns: its module was unloaded at that time and can no longer free it; NULL: it was not.
-- has_module: the group has one module.
SELECT o.id, dense_rank() OVER (ORDER BY iif(:kinds, e.kind, NULL),
		CASE :by WHEN 'stack' THEN o.stack END,
		CASE WHEN :by IN ('site', 'stack') THEN f.function END,
		CASE WHEN :by IN ('site', 'stack', 'module') THEN f.module END,
		CASE :by WHEN 'cache' THEN c.name END,
		CASE :by WHEN 'node' THEN o.node WHEN 'order' THEN o.page_order WHEN 'size' THEN o.bytes_alloc WHEN 'requested' THEN o.bytes_req END) - 1 AS number,
	e.kind, coalesce(o.bytes_alloc, 0) AS bytes,
	u.until_ns AS left_until_ns, :by IN ('site', 'stack', 'module') AS has_module
FROM origin o
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN orphan_origins u ON u.origin = o.id
WHERE e.kind IS NOT NULL AND (:site = '' OR f.function = :site) AND (NOT :suspects OR o.id NOT IN (SELECT origin FROM tracer_origin));
