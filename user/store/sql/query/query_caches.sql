-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slab caches by live bytes at the end, with all allocations from them.
-- :lines 20  maximum number of rows
-- merged_with: the objects of these caches are in the same slabs, and count here.
WITH most AS (
	SELECT c.name AS cache,
		sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc ELSE 0 END) * factor AS live_bytes,
		sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) * factor AS live_count,
		sum(t.count * o.bytes_alloc) * factor AS total_bytes, sum(t.count) * factor AS count
	FROM scale, alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN cache c ON c.id = o.cache
	WHERE e.kind = 'slab'
	GROUP BY c.name ORDER BY live_bytes DESC, total_bytes DESC, cache LIMIT :lines)
SELECT most.cache, live_bytes, live_count, total_bytes, count, m.merged_with
FROM most LEFT JOIN caches m ON m.cache = most.cache
ORDER BY live_bytes DESC, total_bytes DESC, most.cache;
