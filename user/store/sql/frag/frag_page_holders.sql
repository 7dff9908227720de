-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each failed order: the owners, at the last such failure, of the aligned blocks of that order with the
-- fewest live pages: at most an eighth of the block, or the minimum. The rest of a larger block may be anywhere in
-- it. A block that is freed in parts has an unknown history: it counts in full until the last part, or with its rest at the end.
WITH wanted AS MATERIALIZED (
	SELECT page_order, max(last_ns) AS at_ns FROM failed_allocations WHERE page_order BETWEEN 1 AND 20 GROUP BY 1),
page_origin AS MATERIALIZED (
	SELECT o.id, o.page_order, CASE WHEN o.migratetype = 1 THEN 'movable' WHEN o.migratetype = 2 THEN 'reclaimable'
		WHEN o.migratetype IS NOT NULL THEN 'unmovable' END AS mobility
	FROM origin o JOIN event e ON e.id = o.event
	WHERE e.name = 'page_alloc' AND o.page_order <= (SELECT max(page_order) FROM wanted)),
held AS (
	SELECT w.page_order, w.at_ns, a.addr >> w.page_order AS block, a.origin, a.backing AS backing_id, p.mobility,
		sum((1 << p.page_order) - iif(a.lifetime_ns IS NULL, coalesce(a.pages_freed, 0), 0)) AS pages
	FROM alloc a CROSS JOIN page_origin p ON p.id = a.origin CROSS JOIN wanted w
	WHERE EXISTS (SELECT 1 FROM wanted) AND p.page_order <= w.page_order AND a.time_ns <= w.at_ns AND (a.lifetime_ns IS NULL OR a.time_ns + a.lifetime_ns > w.at_ns)
	GROUP BY 1, 3, 4, 5),
block AS (SELECT page_order, block, sum(pages) AS pages FROM held GROUP BY 1, 2),
most AS (
	SELECT page_order, max(min(pages), (1 << page_order) / 8) AS pages FROM block GROUP BY 1)
SELECT h.page_order AS failed_order, count(DISTINCT h.block) * factor AS blocks, sum(h.pages) * factor AS pages,
	f.function AS caller, f.module, h.mobility AS type, b.name AS backing, h.at_ns
FROM most m
JOIN block k ON k.page_order = m.page_order AND k.pages <= m.pages
JOIN held h ON h.page_order = k.page_order AND h.block = k.block
JOIN origin o ON o.id = h.origin
JOIN backing b ON b.id = h.backing_id
LEFT JOIN frame f ON f.id = o.caller, scale
GROUP BY h.page_order, f.function, f.module, h.mobility, b.name
ORDER BY failed_order DESC, blocks DESC, pages DESC, caller, module, type LIMIT :limit;
