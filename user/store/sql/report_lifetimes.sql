-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long what was freed had lived, by call site: nearest-rank percentiles.
WITH top AS (
	SELECT o.caller, o.event = 5 AS page, sum(g.freed) AS freed
	FROM total g JOIN origin o ON o.id = g.origin LEFT JOIN symbol s ON s.id = o.caller
	WHERE g.backing = 0 AND g.freed > 0 AND (:site = '' OR s.name = :site)
	GROUP BY 1, 2 ORDER BY freed DESC, s.name LIMIT :limit
), ranked AS (
	SELECT top.caller, top.page, top.freed, a.lifetime_ns,
		row_number() OVER (PARTITION BY top.caller, top.page ORDER BY a.lifetime_ns) AS rank
	FROM alloc a JOIN origin o ON o.id = a.origin
	JOIN top ON top.caller IS o.caller AND top.page = (o.event = 5)
	WHERE a.state = 1 AND a.backing = 0
)
SELECT max(freed) AS count,
	max(lifetime_ns) FILTER (WHERE rank = (freed + 1) / 2) AS p50_ns,
	max(lifetime_ns) FILTER (WHERE rank = (95 * freed + 99) / 100) AS p95_ns,
	max(lifetime_ns) AS max_ns,
	CASE WHEN page THEN 'page' ELSE 'slab' END AS kind, s.name AS caller, s.module
FROM ranked LEFT JOIN symbol s ON s.id = ranked.caller
GROUP BY ranked.caller, page ORDER BY count DESC, s.name;
