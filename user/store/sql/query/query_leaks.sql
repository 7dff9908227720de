-- SPDX-License-Identifier: GPL-2.0-or-later
-- Suspected leaks: old allocations that are live at the end, by stack, without those of the tracer and its recorder.
-- :older_ns half  minimum age at the end; half: 30s, or half of the trace if that is less
-- :lines 20  maximum number of rows
WITH orphan (origin, until_ns) AS MATERIALIZED (SELECT origin, until_ns FROM orphan_origins),
age AS (
	SELECT CASE :older_ns WHEN 'half' THEN min(30000000000, value / 2) ELSE :older_ns END AS ns FROM meta WHERE key = 'span_ns'),
old AS (
	SELECT a.origin, a.task, count(*) AS count, min(a.time_ns) AS first_ns,
		sum(coalesce(a.pages_freed, 0)) AS pages_freed
	FROM alloc a LEFT JOIN orphan p ON p.origin = a.origin
	WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND a.backing = 0
		AND a.time_ns < (SELECT value FROM meta WHERE key = 'span_ns') - (SELECT ns FROM age)
		AND a.origin NOT IN (SELECT origin FROM tracer_origin)
		AND NOT (a.context = 0 AND a.task IN (SELECT id FROM recorder_tasks) AND coalesce(a.time_ns > p.until_ns, TRUE))
	GROUP BY 1, 2),
held AS (
	SELECT e.kind, o.stack, f.function AS caller, sum(old.count) AS count, min(first_ns) AS first_ns,
		sum(old.count * o.bytes_alloc - old.pages_freed * (SELECT value FROM meta WHERE key = 'page_size')) AS bytes,
		group_concat(DISTINCT c.name) AS caches, group_concat(DISTINCT t.comm) AS threads
	FROM old
	JOIN origin o ON o.id = old.origin
	JOIN event e ON e.id = o.event
	JOIN task t ON t.id = old.task
	LEFT JOIN cache c ON c.id = o.cache
	LEFT JOIN frame f ON f.id = o.caller
	GROUP BY 1, 2, 3 ORDER BY bytes DESC, count DESC, kind, caller, o.stack LIMIT :lines)
SELECT kind, bytes * factor AS live_bytes, count * factor AS live_count,
	(SELECT value FROM meta WHERE key = 'span_ns') - first_ns AS oldest_ns, caller, caches, threads,
	stack(stack) AS stack
FROM held, scale ORDER BY bytes DESC, count DESC, kind, caller, held.stack;
