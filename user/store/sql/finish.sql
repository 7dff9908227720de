-- SPDX-License-Identifier: GPL-2.0-or-later
-- After the last row: sums by origin, which all reports start from, indexes, views, statistics.

CREATE TABLE total (
	origin INTEGER, backing INTEGER, allocs INTEGER, freed INTEGER, free_unseen INTEGER,
	live INTEGER, live_bytes INTEGER, PRIMARY KEY (origin, backing)
) WITHOUT ROWID;
INSERT INTO total
SELECT origin, backing, count(*), sum(state = 1), sum(state = 2), sum(state = 0), sum(live_bytes)
FROM alloc GROUP BY origin, backing;

CREATE INDEX alloc_live ON alloc (time_ns) WHERE state = 0;
CREATE INDEX origin_caller ON origin (caller);

CREATE VIEW allocations AS
SELECT a.id, e.name AS event,
	printf(CASE WHEN o.event = 5 THEN 'pfn 0x%x' ELSE '0x%x' END, a.addr) AS addr,
	o.bytes_req, o.bytes_alloc, o.bytes_alloc - o.bytes_req AS waste_bytes,
	c.name AS cache, o.page_order, m.name AS migratetype, printf('0x%x', o.gfp) AS gfp, o.node,
	a.time_ns, a.cpu, x.name AS context, t.tid, t.comm,
	s.name AS caller, o.call_site, o.stack,
	b.name AS state, k.name AS backing, a.live_bytes, a.pieces,
	a.lifetime_ns, a.time_ns + a.lifetime_ns AS free_time_ns, a.free_cpu, fx.name AS free_context,
	ft.tid AS free_tid, ft.comm AS free_comm, fe.name AS free_event,
	fs.name AS free_caller, r.call_site AS free_call_site, r.stack AS free_stack
FROM alloc a
JOIN origin o ON o.id = a.origin
LEFT JOIN event_name e ON e.id = o.event
LEFT JOIN symbol s ON s.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN migratetype_name m ON m.id = o.migratetype
LEFT JOIN context_name x ON x.id = a.context
LEFT JOIN task t ON t.id = a.task
LEFT JOIN state_name b ON b.id = a.state
LEFT JOIN backing_name k ON k.id = a.backing
LEFT JOIN release r ON r.id = a.release
LEFT JOIN event_name fe ON fe.id = r.event
LEFT JOIN symbol fs ON fs.id = r.caller
LEFT JOIN context_name fx ON fx.id = a.free_context
LEFT JOIN task ft ON ft.id = a.free_task;

CREATE VIEW live AS SELECT * FROM allocations WHERE state = 'live';

-- Slab objects and pages are two accounts of the same memory: pages that back slabs or large kmallocs
-- are left out, so within one kind every byte counts once.
CREATE VIEW call_sites AS
SELECT CASE WHEN o.event = 5 THEN 'page' ELSE 'slab' END AS kind, s.name AS caller, s.module,
	sum(g.allocs) AS count, sum(g.allocs * o.bytes_alloc) AS total_bytes,
	sum(g.live) AS live_count, sum(g.live_bytes) AS live_bytes,
	sum(g.allocs * (o.bytes_alloc - o.bytes_req)) AS waste_bytes,
	sum(g.freed) AS freed_count, sum(g.free_unseen) AS free_unseen_count
FROM total g
JOIN origin o ON o.id = g.origin
LEFT JOIN symbol s ON s.id = o.caller
WHERE g.backing = 0
GROUP BY kind, o.caller;

CREATE VIEW frames AS
SELECT f.id, printf('0x%x', f.addr) AS addr, s.name, f.offset, s.module, f.allocator,
	s.name || CASE WHEN f.offset IS NULL THEN '' ELSE printf('+0x%x', f.offset) END ||
		CASE WHEN s.module IS NULL THEN '' ELSE ' [' || s.module || ']' END AS text
FROM frame f LEFT JOIN symbol s ON s.id = f.symbol;

-- Level 0 is the innermost frame.
CREATE VIEW stack_frames AS
WITH RECURSIVE up (stack, level, node) AS (
	SELECT id, 0, id FROM stack
	UNION ALL
	SELECT up.stack, up.level + 1, k.parent FROM up JOIN stack k ON k.id = up.node WHERE k.parent > 0
)
SELECT up.stack, up.level, f.addr, f.name, f.offset, f.module, f.text
FROM up JOIN stack k ON k.id = up.node JOIN frames f ON f.id = k.frame;

CREATE VIEW stacks AS
SELECT k.id, k.depth, (
	SELECT group_concat(text, ' < ') FROM (
		WITH RECURSIVE up (level, node) AS (
			SELECT 0, k.id
			UNION ALL
			SELECT up.level + 1, p.parent FROM up JOIN stack p ON p.id = up.node WHERE p.parent > 0
		)
		SELECT f.text FROM up JOIN stack p ON p.id = up.node JOIN frames f ON f.id = p.frame
		ORDER BY up.level
	)) AS text
FROM stack k;

CREATE VIEW losses AS
SELECT l.cpu, l.reason, l.count, w.windows, w.from_ns, w.to_ns
FROM loss l LEFT JOIN (
	SELECT cpu, reason, count(*) AS windows, min(from_ns) AS from_ns, max(to_ns) AS to_ns
	FROM loss_window GROUP BY cpu, reason
) w ON w.cpu = l.cpu AND w.reason = l.reason;

CREATE VIEW unmatched_frees AS
SELECT e.name AS event, CASE WHEN u.slab THEN 'slab pages, ' ELSE '' END || n.name AS class,
	s.name AS caller, u.count, u.bytes
FROM unmatched u
LEFT JOIN event_name e ON e.id = u.event
LEFT JOIN unmatched_class_name n ON n.id = u.class
LEFT JOIN symbol s ON s.id = u.caller;

CREATE VIEW failures AS
SELECT e.name AS event, s.name AS caller, f.page_order, f.bytes_req, f.count
FROM failed f LEFT JOIN event_name e ON e.id = f.event LEFT JOIN symbol s ON s.id = f.caller;

ANALYZE;
