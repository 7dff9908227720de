-- SPDX-License-Identifier: GPL-2.0-or-later
-- temporary_total and temporary_count of the lifetimes that restrict.sql kept: how often its thread, or the interrupts of its CPU,
-- allocated between an allocation and its free. The further allocations may be outside of the interval.
-- At equal times frees come first: a free right before the next allocation is common, but equal times are rare.
CREATE TEMP TABLE temporary_total AS
WITH point AS (
	SELECT a.id, iif(context = 0, 't' || t.tid, printf('c%d.%d', cpu, context)) AS who, time_ns, 1 AS turn
	FROM main.alloc a JOIN task t ON t.id = a.task WHERE backing = 0
	UNION ALL
	SELECT a.id, iif(context = 0, 't' || t.tid, printf('c%d.%d', cpu, context)), time_ns + lifetime_ns, 0
	FROM alloc a JOIN task t ON t.id = a.task WHERE state = 1 AND backing = 0),
counted AS (
	SELECT id, turn, sum(turn) OVER (PARTITION BY who ORDER BY time_ns, turn, id ROWS UNBOUNDED PRECEDING) AS turns
	FROM point),
life AS (
	SELECT c.id, l.origin, CASE l.lifetime_ns WHEN 0 THEN 0 ELSE max(turns) - min(turns) END AS turns
	FROM counted c JOIN lifetime l ON l.rowid = c.id GROUP BY c.id HAVING count(*) = 2)
SELECT origin, CASE WHEN turns = 0 THEN 1 WHEN turns = 1 THEN 2 WHEN turns < 4 THEN 4 WHEN turns < 8 THEN 8
		WHEN turns < 16 THEN 16 WHEN turns < 32 THEN 32 ELSE 64 END AS within, count(*) AS count
FROM life WHERE turns < 64 GROUP BY 1, 2;
CREATE TEMP TABLE temporary_count AS
SELECT o.event, o.caller, t.within, sum(t.count) AS count
FROM temporary_total t JOIN origin o ON o.id = t.origin GROUP BY 1, 2, 3;
