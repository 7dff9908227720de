-- SPDX-License-Identifier: GPL-2.0-or-later
-- All allocations in time order, and whether the connection is restricted to them. Pages that took part in a migration have the
-- address after the last one.
SELECT l.time_ns, l.place >> 2, CASE WHEN l.ending & 32 THEN l.addr
		ELSE (SELECT value FROM meta WHERE key = 'linear_base') + (l.addr << 3) END,
	l.lifetime_ns, o.event, o.page_order,
	(SELECT f.addr FROM frame f WHERE f.id = o.call_site), (SELECT t.tid FROM task t WHERE t.id = l.task),
	l.within_time AND l.kept
FROM judged_lifetime l JOIN origin o ON o.id = l.origin ORDER BY l.time_ns, l.rowid;
