-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slab objects by call site, as in perf kmem. Ping-pong: freed on another CPU than allocated.
WITH counts (origin, hit, pingpong) AS (
	SELECT origin, count, 0 FROM alloc_total
	UNION ALL SELECT origin, 0, freed FROM freed_elsewhere_totals),
sites AS (
	SELECT o.call_site, sum(hit) * (SELECT factor FROM scale) AS hit,
		sum(hit * o.bytes_alloc) * (SELECT factor FROM scale) AS bytes_alloc,
		sum(hit * o.bytes_req) * (SELECT factor FROM scale) AS bytes_req,
		sum(pingpong) * (SELECT factor FROM scale) AS pingpong
	FROM counts c JOIN temp.perf_slab_origins o ON o.id = c.origin
	GROUP BY o.call_site HAVING sum(hit) > 0),
shown AS (
	SELECT coalesce(f.name, '(unknown)') AS callsite, NULL AS ptr, s.*,
		CASE bytes_alloc WHEN 0 THEN 0.0 ELSE 100.0 - 100.0 * bytes_req / bytes_alloc END AS frag_pct
	FROM sites s LEFT JOIN frame f ON f.id = s.call_site)
SELECT callsite, bytes_alloc, bytes_alloc / hit AS alloc_per, bytes_req, bytes_req / hit AS req_per, hit, pingpong,
	frag_pct
FROM shown
ORDER BY {order}, callsite
LIMIT :limit;
