-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each order that failed: who holds, at the end, the aligned blocks of that order that have the fewest live pages:
-- at most an eighth of theirs, or the fewest that there are. What is left of a larger one may be anywhere in it.
WITH wanted AS (
	SELECT DISTINCT page_order FROM failed_allocations WHERE page_order BETWEEN 1 AND 20),
held AS (
	SELECT w.page_order, p.pfn >> w.page_order AS block, p.origin, p.backing_id, p.mobility, sum(p.pages) AS pages
	FROM wanted w CROSS JOIN live_pages p WHERE p.page_order <= w.page_order
	GROUP BY 1, 2, 3, 4, 5),
block AS (SELECT page_order, block, sum(pages) AS pages FROM held GROUP BY 1, 2),
most AS (
	SELECT page_order, max(min(pages), (1 << page_order) / 8) AS pages FROM block GROUP BY 1)
SELECT h.page_order AS failed_order, count(DISTINCT h.block) * factor AS blocks, sum(h.pages) * factor AS pages,
	f.function AS caller, f.module, h.mobility AS type, b.name AS backing
FROM most m
JOIN block k ON k.page_order = m.page_order AND k.pages <= m.pages
JOIN held h ON h.page_order = k.page_order AND h.block = k.block
JOIN origin o ON o.id = h.origin
JOIN backing b ON b.id = h.backing_id
LEFT JOIN frame f ON f.id = o.caller, scale
GROUP BY h.page_order, f.function, f.module, h.mobility, b.name
ORDER BY failed_order DESC, blocks DESC, pages DESC, caller, module, type LIMIT :limit;
