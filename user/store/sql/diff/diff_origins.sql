-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of each origin, by state: for any grouping except by task and CPU. backing: as in call_sites.
SELECT e.kind, o.id AS origin, o.caller, o.stack, c.name AS cache, sum(t.count) * factor AS allocs,
	sum(t.count * o.bytes_alloc) * factor AS bytes,
	sum(t.count * (t.state = 0)) * factor AS live_count,
	sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc -
		t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) * factor AS live_bytes,
	sum(CASE e.kind WHEN 'percpu' THEN 0 ELSE t.count * (o.bytes_alloc - o.bytes_req) END) * factor AS waste_bytes,
	o.node, o.page_order, o.bytes_alloc AS size
FROM scale, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
LEFT JOIN cache c ON c.id = o.cache
WHERE t.backing = 0
GROUP BY o.id;
