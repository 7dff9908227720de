-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of a CPU or a thread (-1: all) in time order; for all, thread by thread, then interrupts by CPU. Each
-- CPU has an idle thread, all with number 0.
SELECT a.time_ns, a.cpu, a.context, t.tid, t.comm, e.name AS event, printf('0x%x', a.addr) AS addr, o.bytes_req,
	o.bytes_alloc, c.name AS cache, o.page_order, m.name AS migratetype, g.names AS gfp, o.node, a.state,
	a.lifetime_ns, b.name AS backing, o.stack, o.call_site
FROM alloc a
JOIN origin o ON o.id = a.origin
JOIN event e ON e.id = o.event
JOIN task t ON t.id = a.task
JOIN backing b ON b.id = a.backing
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN migratetype m ON m.id = o.migratetype
LEFT JOIN gfp g ON g.value = o.gfp
WHERE (:cpu = -1 OR a.cpu = :cpu) AND (:tid = -1 OR t.tid = :tid AND a.context = 0)
ORDER BY CASE WHEN :cpu = -1 AND :tid = -1 THEN a.context END,
	CASE WHEN :cpu = -1 AND :tid = -1 THEN iif(a.context = 0, t.tid, a.cpu) END,
	CASE WHEN :cpu = -1 AND a.context = 0 AND t.tid = 0 THEN a.cpu END, a.time_ns, a.id;
