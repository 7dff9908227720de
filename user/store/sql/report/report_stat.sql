-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of each kind, and their fate: freed, live and being freed by RCU add up
-- to all allocations.
SELECT e.kind, sum(t.count) * factor AS count, sum(t.count * o.bytes_alloc) * factor AS total_bytes,
	sum(t.count * (t.state IN (1, 2, 3))) * factor AS freed_count,
	sum(CASE WHEN t.state IN (1, 2, 3) THEN t.count * o.bytes_alloc
		ELSE t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size') END) * factor AS freed_bytes,
	sum(t.count * (t.state = 0)) * factor AS live_count,
	sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc -
		t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) * factor AS live_bytes,
	sum(t.count * (t.state = 4)) * factor AS freeing_count,
	sum(t.count * o.bytes_alloc * (t.state = 4)) * factor AS freeing_bytes
FROM scale, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
WHERE t.backing = 0
GROUP BY e.kind ORDER BY e.kind = 'vmalloc', e.kind = 'percpu', e.kind = 'page';
