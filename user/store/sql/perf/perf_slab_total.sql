-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of slab objects, as in perf kmem. cross: requested on another node than that of their CPU, which is
-- known only with a single node; otherwise NULL.
-- sized: perf's size of a cache object includes what the cache adds to it, as in slabinfo.
WITH padded AS (
	SELECT c.id, max(s.object_size) AS size
	FROM cache c JOIN slabinfo s ON s.name = c.slabinfo AND s.object_size >= c.object_size
	GROUP BY c.id),
sized AS (
	SELECT o.id, o.call_site, o.node, o.bytes_req,
		CASE e.name WHEN 'kmem_cache_alloc' THEN coalesce(p.size, o.bytes_alloc) ELSE o.bytes_alloc END AS bytes_alloc
	FROM origin o JOIN event e ON e.id = o.event LEFT JOIN padded p ON p.id = o.cache
	WHERE e.kind = 'slab')
SELECT coalesce(sum(t.count * o.bytes_req), 0) * factor AS bytes_requested,
	coalesce(sum(t.count * o.bytes_alloc), 0) * factor AS bytes_allocated,
	coalesce(sum((t.state IN (1, 2, 3)) * t.count * o.bytes_alloc), 0) * factor AS bytes_freed,
	coalesce(sum(t.count), 0) * factor AS allocs,
	CASE (SELECT count(DISTINCT node) FROM buddyinfo) WHEN 1 THEN coalesce(sum(t.count * (o.node IS NOT NULL AND
		o.node <> (SELECT min(node) FROM buddyinfo))), 0) * factor END AS cross_allocs
FROM scale, alloc_total t
JOIN sized o ON o.id = t.origin;
