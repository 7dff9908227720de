-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each origin of allocations, only those of :site, with the number of its group by :by (stack, site, module, cache; task, thread: holders_tasks).
-- The tracer's own allocations are not suspects: only :site with one of its functions includes them.
-- orphaned: groups are by call site, and the module of this one is unloaded at the end.
SELECT o.id, e.kind, o.bytes_alloc, dense_rank() OVER (ORDER BY e.kind,
	CASE :by WHEN 'stack' THEN o.stack WHEN 'site' THEN f.function WHEN 'module' THEN f.module
		WHEN 'cache' THEN c.name END,
	CASE :by WHEN 'stack' THEN CASE WHEN o.stack IS NULL THEN f.function END WHEN 'site' THEN f.module END) - 1 AS holder,
	:by IN ('stack', 'site', 'module') AND f.module IN (
		SELECT name FROM module GROUP BY name HAVING count(*) = count(unload_ns)) AS orphaned
FROM origin o
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
WHERE e.kind IS NOT NULL AND CASE :site WHEN '' THEN o.id NOT IN (SELECT origin FROM tracer_origin) ELSE f.function = :site END;
