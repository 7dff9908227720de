-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live pages by migrate type and order. Of these, backing_bytes are slabs, large kmallocs or per-CPU memory.
SELECT sum(t.count * o.bytes_alloc - t.pages_freed * page.size) * factor AS live_bytes, sum(t.count) * factor AS blocks,
	sum(CASE t.backing WHEN 0 THEN 0 ELSE t.count * o.bytes_alloc - t.pages_freed * page.size END) * factor
		AS backing_bytes,
	o.page_order, coalesce(m.name, o.migratetype) AS migratetype
FROM scale, (SELECT value AS size FROM meta WHERE key = 'page_size') page, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
LEFT JOIN migratetype m ON m.id = o.migratetype
WHERE e.kind = 'page' AND t.state = 0
GROUP BY o.migratetype, o.page_order
ORDER BY 1 DESC, o.page_order, o.migratetype LIMIT :limit;
