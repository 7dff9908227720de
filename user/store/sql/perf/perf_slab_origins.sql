-- SPDX-License-Identifier: GPL-2.0-or-later
-- Origins of slab objects. perf's size of a cache object includes what the cache adds to it, as in slabinfo.
CREATE TEMP VIEW IF NOT EXISTS perf_slab_origins AS
WITH padded AS (
	SELECT c.id, max(s.object_size) AS size
	FROM cache c JOIN slabinfo s ON s.name = c.slabinfo AND s.object_size >= c.object_size
	GROUP BY c.id)
SELECT o.id, o.call_site, o.node, o.bytes_req,
	CASE e.name WHEN 'kmem_cache_alloc' THEN coalesce(p.size, o.bytes_alloc) ELSE o.bytes_alloc END AS bytes_alloc
FROM origin o JOIN event e ON e.id = o.event LEFT JOIN padded p ON p.id = o.cache
WHERE e.kind = 'slab';
