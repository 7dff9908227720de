-- SPDX-License-Identifier: GPL-2.0-or-later
-- Page allocations by order, migrate type and backing.
SELECT o.page_order, m.name AS migratetype, b.name AS backing, sum(t.count) * factor AS count,
	sum(t.count * o.bytes_alloc) * factor AS bytes,
	sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) * factor AS live_count,
	sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc - t.pages_freed *
		(SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) * factor AS live_bytes
FROM scale, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
JOIN backing b ON b.id = t.backing
LEFT JOIN migratetype m ON m.id = o.migratetype
WHERE e.kind = 'page'
GROUP BY o.page_order, m.name, b.name ORDER BY o.page_order, m.name, b.name;
