-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live allocations at the end that are older than :older_ns, or whose module was unloaded later, by origin; own: of the tracer or its recorder.
-- Without kernel-owned memory.
WITH orphan (origin, until_ns) AS MATERIALIZED (SELECT origin, until_ns FROM orphan_origins)
SELECT a.origin, count(*) * (SELECT factor FROM scale) AS count,
	sum(o.bytes_alloc - coalesce(a.pages_freed, 0) * (SELECT value FROM meta WHERE key = 'page_size')) *
		(SELECT factor FROM scale) AS bytes,
	a.origin IN (SELECT origin FROM tracer_origin) OR
		(a.context = 0 AND a.task IN (SELECT id FROM recorder_tasks) AND coalesce(a.time_ns > p.until_ns, TRUE)) AS own
FROM alloc a JOIN origin o ON o.id = a.origin LEFT JOIN orphan p ON p.origin = a.origin
WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND a.backing = 0
	AND a.origin NOT IN (SELECT origin FROM kernel_origins)
	AND (a.time_ns < (SELECT value FROM meta WHERE key = 'span_ns') - :older_ns OR a.time_ns <= p.until_ns)
GROUP BY a.origin, own;
