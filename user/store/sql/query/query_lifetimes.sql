-- SPDX-License-Identifier: GPL-2.0-or-later
-- Lifetimes of freed allocations, by call site: nearest-rank percentiles, of at least 2 frees, 20 for p95, 100 for p99.
-- :site    a call site; empty: those with the most frees
-- :lines 20  maximum number of rows
WITH top AS (
	SELECT f.function, f.module, e.kind, sum(t.count) AS freed
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE t.backing = 0 AND t.state IN (1, 3) AND (:site = '' OR f.function = :site)
	GROUP BY 1, 2, 3 ORDER BY freed DESC, 1, 2, 3 LIMIT :lines
), numbered AS MATERIALIZED (
	SELECT row_number() OVER (ORDER BY freed DESC, function, module, kind) AS number, * FROM top
), top_origin AS (
	SELECT o.id, n.number
	FROM origin o JOIN event e ON e.id = o.event LEFT JOIN frame f ON f.id = o.caller
	CROSS JOIN numbered n ON n.function IS f.function AND n.module IS f.module AND n.kind = e.kind
), told AS MATERIALIZED (
	SELECT number, p50_ns, p95_ns, p99_ns, max_ns FROM ranks((SELECT group_concat(id || ' ' || number, ' ') FROM top_origin))
)
SELECT freed * factor AS count, p50_ns, p95_ns, p99_ns, max_ns, kind, function AS caller, module
FROM told CROSS JOIN numbered USING (number) CROSS JOIN scale ORDER BY number;
