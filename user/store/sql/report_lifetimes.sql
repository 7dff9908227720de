-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long what was freed had lived, by call site: nearest-rank percentiles.
WITH top AS (
	SELECT f.function, f.module, e.kind, sum(t.count) AS freed
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE t.backing = 0 AND t.state IN (1, 3) AND (:site = '' OR f.function = :site)
	GROUP BY 1, 2, 3 ORDER BY freed DESC, 1, 2, 3 LIMIT :limit
), top_origin AS (
	SELECT o.id, top.*
	FROM origin o JOIN event e ON e.id = o.event LEFT JOIN frame f ON f.id = o.caller
	JOIN top ON top.function IS f.function AND top.module IS f.module AND top.kind = e.kind
), ranked AS (
	SELECT t.function, t.module, t.kind, t.freed, a.lifetime_ns,
		row_number() OVER (PARTITION BY t.function, t.module, t.kind ORDER BY a.lifetime_ns) AS rank
	FROM alloc a JOIN top_origin t ON t.id = a.origin
	WHERE a.state IN (1, 3) AND a.backing = 0
)
SELECT max(freed) * (SELECT factor FROM scale) AS count,
	max(lifetime_ns) FILTER (WHERE rank = (freed + 1) / 2) AS p50_ns,
	max(lifetime_ns) FILTER (WHERE rank = (95 * freed + 99) / 100) AS p95_ns,
	max(lifetime_ns) AS max_ns, kind, function AS caller, module
FROM ranked GROUP BY function, module, kind ORDER BY count DESC, caller, module, kind;
