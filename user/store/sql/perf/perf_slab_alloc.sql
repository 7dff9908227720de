-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slab objects by address, as in perf kmem: all objects that ever existed in the trace. A sample has all events of
-- its addresses, so their figures are not scaled.
WITH counted AS (
	SELECT addr, hit, bytes_alloc, bytes_req, pingpong
	FROM slab_addresses(
		(SELECT group_concat(printf('%d %d %d', id, bytes_alloc, bytes_req), ' ') FROM temp.perf_slab_origins),
		(SELECT value FROM meta WHERE key = 'linear_base'))),
shown AS (
	SELECT printf('0x%x', addr) AS ptr, NULL AS callsite, c.*,
		CASE bytes_alloc WHEN 0 THEN 0.0 ELSE 100.0 - 100.0 * bytes_req / bytes_alloc END AS frag_pct
	FROM counted c)
SELECT ptr, bytes_alloc, bytes_alloc / hit AS alloc_per, bytes_req, bytes_req / hit AS req_per, hit, pingpong, frag_pct
FROM shown
ORDER BY {order}, ptr
LIMIT :limit;
