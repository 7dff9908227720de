-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each origin the first one of its group by :by, its kind and its bytes; only those of :site.
SELECT o.id, min(o.id) OVER (PARTITION BY e.kind,
		CASE WHEN :by IN ('site', 'stack') THEN f.function END,
		CASE WHEN :by IN ('site', 'stack', 'module') THEN f.module END,
		CASE :by WHEN 'stack' THEN o.stack END,
		CASE :by WHEN 'cache' THEN c.name END),
	CASE e.kind WHEN 'slab' THEN 0 WHEN 'page' THEN 1 WHEN 'percpu' THEN 2 ELSE 3 END,
	coalesce(o.bytes_alloc, 0)
FROM origin o
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
WHERE e.kind IS NOT NULL AND (:site = '' OR f.function = :site)
ORDER BY o.id;
