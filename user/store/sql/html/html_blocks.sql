-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live pages of the trace by location: each cell covers enough pageblocks for at most :cells cells. A sample is not
-- scaled, since it is a map of the pages seen.
WITH block AS MATERIALIZED (SELECT * FROM pageblocks),
range AS (SELECT min(pageblock) AS first, max(pageblock) AS last FROM block),
size AS (
	WITH RECURSIVE width (blocks) AS (
		SELECT 1 UNION ALL
		SELECT blocks * 2 FROM width, range WHERE last / blocks - first / blocks >= :cells)
	SELECT max(blocks) AS blocks FROM width)
SELECT w.blocks AS cell_blocks, (SELECT value / 8 FROM meta WHERE key = 'page_size') AS block_pages,
	pageblock / w.blocks AS cell, sum(movable_pages) AS movable, sum(unmovable_pages) AS unmovable,
	sum(reclaimable_pages) AS reclaimable, count(*) AS blocks
FROM block, size w
GROUP BY cell ORDER BY cell;
