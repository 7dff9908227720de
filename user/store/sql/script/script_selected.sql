-- SPDX-License-Identifier: GPL-2.0-or-later
-- The allocations to which the connection is restricted, and others of the same times, in time order; the last column tells which it
-- is. Pages that took part in a migration have the address after the last one.
SELECT l.time_ns, l.place >> 2, CASE WHEN l.ending & 32 THEN l.addr
		ELSE (SELECT value FROM meta WHERE key = 'linear_base') + (l.addr << 3) END,
	l.lifetime_ns, o.event, o.page_order,
	CASE WHEN o.page_order NOTNULL THEN (SELECT f.addr FROM frame f WHERE f.id = o.call_site) END,
	CASE WHEN o.page_order NOTNULL THEN (SELECT t.tid FROM task t WHERE t.id = l.task) END,
	l.within_time AND l.kept
FROM judged_lifetime l JOIN origin o ON o.id = l.origin
WHERE l.time_ns IN (SELECT time_ns FROM lifetime) ORDER BY l.time_ns, l.rowid;
