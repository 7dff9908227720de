-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live memory of the tracer at the end and, unless :by is task or thread, of its recorder, except in interrupts and by
-- modules that were unloaded later; live_groups.c excludes it.
WITH orphan (origin, until_ns) AS MATERIALIZED (SELECT origin, until_ns FROM orphan_origins)
SELECT sum(o.bytes_alloc - coalesce(a.pages_freed, 0) * (SELECT value FROM meta WHERE key = 'page_size')) * factor AS live_bytes,
	count(*) * factor AS live_count, e.kind
FROM scale, alloc a JOIN origin o ON o.id = a.origin JOIN event e ON e.id = o.event LEFT JOIN orphan p ON p.origin = a.origin
WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND a.backing = 0
	AND (a.origin IN (SELECT origin FROM tracer_origin) OR (:by NOT IN ('task', 'thread') AND a.context = 0 AND
		a.task IN (SELECT id FROM recorder_tasks) AND coalesce(a.time_ns > p.until_ns, TRUE)))
GROUP BY e.kind ORDER BY e.kind = 'vmalloc', e.kind = 'percpu', e.kind = 'page';
