-- SPDX-License-Identifier: GPL-2.0-or-later
-- Stacks that allocate from all slab caches, or from one.
-- :cache    slab cache, as kmalloc-192; empty: all
-- :lines 20  maximum number of rows
WITH held AS (
	SELECT o.cache, o.stack, f.function AS caller,
		sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) AS live,
		sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc ELSE 0 END) AS live_bytes,
		sum(t.count) AS count, sum(t.count * o.bytes_alloc) AS bytes
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE e.kind = 'slab' AND (:cache = '' OR o.cache IN (SELECT id FROM cache WHERE name = :cache))
	GROUP BY 1, 2, 3 ORDER BY live_bytes DESC, bytes DESC, caller, o.stack, o.cache LIMIT :lines)
SELECT c.name AS cache, h.live_bytes * factor AS live_bytes, live * factor AS live_count, bytes * factor AS total_bytes,
	count * factor AS count, caller, stack(h.stack) AS stack
FROM held h JOIN scale LEFT JOIN cache c ON c.id = h.cache
ORDER BY h.live_bytes DESC, bytes DESC, caller, h.stack, h.cache;
