-- SPDX-License-Identifier: GPL-2.0-or-later
-- Free pages of each zone, and the largest order with a free block, at the start and at the end.
SELECT node, zone, sum(CASE phase WHEN 'start' THEN blocks * (1 << page_order) END) * page.size AS start_free_bytes,
	max(CASE WHEN phase = 'start' AND blocks > 0 THEN page_order END) AS start_largest_order,
	sum(CASE phase WHEN 'end' THEN blocks * (1 << page_order) END) * page.size AS end_free_bytes,
	max(CASE WHEN phase = 'end' AND blocks > 0 THEN page_order END) AS end_largest_order,
	sum(CASE WHEN phase = 'end' AND (1 << page_order) * 8 >= page.size THEN blocks * (1 << page_order)
		WHEN phase = 'end' THEN 0 END) * page.size AS end_in_pageblocks_bytes
FROM buddyinfo, (SELECT value AS size FROM meta WHERE key = 'page_size') page
WHERE page_order <= 20
GROUP BY node, zone ORDER BY node, min(buddyinfo.rowid);
