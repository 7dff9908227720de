-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each origin of pages: their order, and whether the kernel frees them when memory is short: pages of the migrate types
-- movable (the page cache, memory of processes) and reclaimable (slabs of caches with a shrinker), and of the page cache by
-- their stack, as those of links and directories are neither.
WITH RECURSIVE cached (node) AS (
	SELECT s.id FROM frame f JOIN stack s ON s.frame = f.id WHERE f.function GLOB 'filemap_alloc_folio*' AND f.module IS NULL
	UNION SELECT s.id FROM cached c JOIN stack s ON s.parent = c.node)
SELECT o.id, o.page_order, o.migratetype IN (1, 2) OR o.stack IN (SELECT node FROM cached)
FROM origin o JOIN event e ON e.id = o.event
WHERE e.kind = 'page' AND o.page_order BETWEEN 0 AND 30;
