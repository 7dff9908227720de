-- SPDX-License-Identifier: GPL-2.0-or-later
-- Owners of unmovable and reclaimable pages in pageblocks whose live pages are mostly movable. alone: blocks
-- without such pages of other owners. backing_bytes: of these, slabs, large kmallocs and per-CPU memory.
WITH spoiled AS (
	SELECT pageblock FROM pageblocks
	WHERE unmovable_pages + reclaimable_pages > 0 AND movable_pages > unmovable_pages + reclaimable_pages),
held AS (
	SELECT p.pageblock, f.function AS caller, f.module, min(p.time_ns) AS first_ns,
		sum(CASE p.mobility WHEN 'unmovable' THEN p.pages ELSE 0 END) AS unmovable,
		sum(CASE p.mobility WHEN 'reclaimable' THEN p.pages ELSE 0 END) AS reclaimable,
		sum(CASE p.backing_id WHEN 0 THEN 0 ELSE p.pages END) AS backing,
		count(*) OVER (PARTITION BY p.pageblock) AS owners
	FROM spoiled s
	JOIN live_pages p ON p.pageblock = s.pageblock
	JOIN origin o ON o.id = p.origin
	LEFT JOIN frame f ON f.id = o.caller
	WHERE p.mobility <> 'movable'
	GROUP BY p.pageblock, f.function, f.module)
SELECT count(*) * factor AS pageblocks, sum(owners = 1) * factor AS alone,
	sum(unmovable) * page.size * factor AS unmovable_bytes, sum(reclaimable) * page.size * factor AS reclaimable_bytes,
	sum(backing) * page.size * factor AS backing_bytes, caller, module,
	(SELECT value FROM meta WHERE key = 'span_ns') - min(first_ns) AS oldest_ns
FROM held, scale, (SELECT value AS size FROM meta WHERE key = 'page_size') page
GROUP BY caller, module
ORDER BY 1 DESC, unmovable_bytes + reclaimable_bytes DESC, caller, module LIMIT :limit;
