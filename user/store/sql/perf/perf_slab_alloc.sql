-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slab objects by address, as in perf kmem: all objects that were ever there.
-- sized: perf's size of a cache object includes what the cache adds to it, as in slabinfo.
WITH padded AS (
	SELECT c.id, max(s.object_size) AS size
	FROM cache c JOIN slabinfo s ON s.name = c.slabinfo AND s.object_size >= c.object_size
	GROUP BY c.id),
sized AS (
	SELECT o.id, o.call_site, o.node, o.bytes_req,
		CASE e.name WHEN 'kmem_cache_alloc' THEN coalesce(p.size, o.bytes_alloc) ELSE o.bytes_alloc END AS bytes_alloc
	FROM origin o JOIN event e ON e.id = o.event LEFT JOIN padded p ON p.id = o.cache
	WHERE e.kind = 'slab'),
counted AS (
	SELECT addr, hit * factor AS hit, bytes_alloc * factor AS bytes_alloc, bytes_req * factor AS bytes_req,
		pingpong * factor AS pingpong
	FROM scale, slab_addresses(
		(SELECT group_concat(printf('%d %d %d', id, bytes_alloc, bytes_req), ' ') FROM sized),
		(SELECT value FROM meta WHERE key = 'linear_base'))),
shown AS (
	SELECT printf('0x%x', addr) AS ptr, NULL AS callsite, c.*,
		CASE bytes_alloc WHEN 0 THEN 0.0 ELSE 100.0 - 100.0 * bytes_req / bytes_alloc END AS frag_pct
	FROM counted c)
SELECT ptr, bytes_alloc, bytes_alloc / hit AS alloc_per, bytes_req, bytes_req / hit AS req_per, hit, pingpong, frag_pct
FROM shown
ORDER BY CASE :key1 WHEN 'ptr' THEN ptr WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes_alloc WHEN 'hit' THEN hit WHEN 'pingpong' THEN pingpong WHEN 'frag' THEN frag_pct END DESC,
	CASE :key2 WHEN 'ptr' THEN ptr WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes_alloc WHEN 'hit' THEN hit WHEN 'pingpong' THEN pingpong WHEN 'frag' THEN frag_pct END DESC,
	CASE :key3 WHEN 'ptr' THEN ptr WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes_alloc WHEN 'hit' THEN hit WHEN 'pingpong' THEN pingpong WHEN 'frag' THEN frag_pct END DESC,
	CASE :key4 WHEN 'ptr' THEN ptr WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes_alloc WHEN 'hit' THEN hit WHEN 'pingpong' THEN pingpong WHEN 'frag' THEN frag_pct END DESC,
	ptr
LIMIT :limit;
