-- SPDX-License-Identifier: GPL-2.0-or-later
-- The same by cache and size class. Large kmallocs have no cache.
SELECT sum(t.count * (o.bytes_alloc - o.bytes_req)) * factor AS waste_bytes,
	sum(CASE t.state WHEN 0 THEN t.count * (o.bytes_alloc - o.bytes_req) ELSE 0 END) * factor AS live_waste_bytes,
	100.0 * sum(t.count * (o.bytes_alloc - o.bytes_req)) / sum(t.count * o.bytes_alloc) AS waste_pct,
	sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) * factor AS live_count, sum(t.count) * factor AS count,
	o.bytes_alloc AS allocated, c.name AS cache
FROM scale, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
LEFT JOIN cache c ON c.id = o.cache
WHERE e.name = 'kmalloc'
GROUP BY c.name, o.bytes_alloc HAVING waste_bytes > 0
ORDER BY 1 DESC, 2 DESC, allocated, cache LIMIT :limit;
