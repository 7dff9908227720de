-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pageblocks by their live pages: only movable ones, only unmovable or reclaimable ones, or both; or
-- only pages of unknown migrate type, such as those of alloc_contig_range().
SELECT CASE WHEN movable_pages + unmovable_pages + reclaimable_pages = 0 THEN 'unknown migrate type'
		WHEN movable_pages = 0 THEN 'no movable page'
		WHEN unmovable_pages + reclaimable_pages = 0 THEN 'movable pages alone'
		WHEN movable_pages > unmovable_pages + reclaimable_pages THEN 'mixed, most movable'
		ELSE 'mixed, most unmovable' END AS holds,
	count(*) * factor AS pageblocks, sum(movable_pages) * page.size * factor AS movable_bytes,
	sum(unmovable_pages) * page.size * factor AS unmovable_bytes,
	sum(reclaimable_pages) * page.size * factor AS reclaimable_bytes
FROM pageblocks, scale, (SELECT value AS size FROM meta WHERE key = 'page_size') page
GROUP BY holds ORDER BY holds;
