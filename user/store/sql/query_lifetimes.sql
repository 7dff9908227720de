-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long what was freed had lived, by call site: nearest-rank percentiles.
-- :site    a call site; empty: those with most frees
-- :lines 20  rows at most
WITH top AS (
	SELECT f.function, f.module, e.kind, sum(t.count) AS freed
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE t.backing = 0 AND t.state IN (1, 3) AND (:site = '' OR f.function = :site)
	GROUP BY 1, 2, 3 ORDER BY freed DESC, 1, 2, 3 LIMIT :lines
), numbered AS (
	SELECT row_number() OVER (ORDER BY freed DESC, function, module, kind) AS number, * FROM top
), top_origin AS (
	SELECT o.id, n.number, n.freed
	FROM origin o JOIN event e ON e.id = o.event LEFT JOIN frame f ON f.id = o.caller
	JOIN numbered n ON n.function IS f.function AND n.module IS f.module AND n.kind = e.kind
), ranked AS (
	SELECT t.number, t.freed, a.lifetime_ns,
		row_number() OVER (PARTITION BY t.number ORDER BY a.lifetime_ns) AS rank
	FROM alloc a JOIN top_origin t ON t.id = a.origin
	WHERE a.state IN (1, 3) AND a.backing = 0
), told AS (
	SELECT number, max(lifetime_ns) FILTER (WHERE rank = (freed + 1) / 2) AS p50_ns,
		max(lifetime_ns) FILTER (WHERE rank = (95 * freed + 99) / 100) AS p95_ns, max(lifetime_ns) AS max_ns
	FROM ranked GROUP BY number
)
SELECT freed * factor AS count, p50_ns, p95_ns, max_ns, kind, function AS caller, module
FROM numbered JOIN told USING (number) JOIN scale ORDER BY number;
