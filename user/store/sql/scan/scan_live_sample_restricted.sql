-- SPDX-License-Identifier: GPL-2.0-or-later
-- As scan_live_sample on a restricted connection. The sample shows when the whole system allocates, so it has all allocations of the
-- interval: 2 in the last column: the allocation is not kept.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts, place, addr, 0)
FROM lifetime WHERE rowid BETWEEN max(:first, (SELECT value FROM meta WHERE key = 'first_left')) AND :last
UNION ALL SELECT scan(l.origin, l.time_ns, l.task, l.lifetime_ns, l.ending, 0, l.place, 0, iif(l.kept, 1, 2))
FROM (WITH RECURSIVE pick (id) AS (
		SELECT (:first + :step - 2) / :step * :step + 1
		UNION ALL SELECT id + :step FROM pick WHERE id + :step <= :last)
	SELECT id FROM pick) p
CROSS JOIN temp.judged_lifetime l ON l.rowid BETWEEN p.id AND min(p.id + :run - 1, :last)
WHERE l.within_time AND l.ending & 24 = 0 AND l.origin NOT IN (SELECT origin FROM tracer_origin) AND NOT (l.place & 3 = 0 AND l.task IN (SELECT id FROM recorder_tasks));
