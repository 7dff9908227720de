-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slab objects by call site, as in perf kmem. Ping-pong: freed on another CPU than allocated.
WITH pong AS MATERIALIZED (SELECT origin, freed AS count FROM freed_elsewhere_totals),
by_origin AS (
	SELECT o.id, o.call_site, sum(t.count) AS hit, sum(t.count * o.bytes_alloc) AS bytes_alloc,
		sum(t.count * o.bytes_req) AS bytes_req
	FROM alloc_total t JOIN temp.perf_slab_origins o ON o.id = t.origin
	GROUP BY o.id),
sites AS (
	SELECT o.call_site, sum(hit) * (SELECT factor FROM scale) AS hit,
		sum(bytes_alloc) * (SELECT factor FROM scale) AS bytes_alloc,
		sum(bytes_req) * (SELECT factor FROM scale) AS bytes_req,
		coalesce(sum(p.count), 0) * (SELECT factor FROM scale) AS pingpong
	FROM by_origin o LEFT JOIN pong p ON p.origin = o.id
	GROUP BY o.call_site),
shown AS (
	SELECT coalesce(f.name, '(unknown)') AS callsite, NULL AS ptr, s.*,
		CASE bytes_alloc WHEN 0 THEN 0.0 ELSE 100.0 - 100.0 * bytes_req / bytes_alloc END AS frag_pct
	FROM sites s LEFT JOIN frame f ON f.id = s.call_site)
SELECT callsite, bytes_alloc, bytes_alloc / hit AS alloc_per, bytes_req, bytes_req / hit AS req_per, hit, pingpong,
	frag_pct
FROM shown
ORDER BY {order}, callsite
LIMIT :limit;
