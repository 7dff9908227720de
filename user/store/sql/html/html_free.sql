-- SPDX-License-Identifier: GPL-2.0-or-later
-- Free blocks of each zone and order at the start and at the end, from /proc/buddyinfo.
SELECT node, zone, page_order, sum(CASE phase WHEN 'start' THEN blocks END) AS start_blocks,
	sum(CASE phase WHEN 'end' THEN blocks END) AS end_blocks
FROM buddyinfo GROUP BY node, zone, page_order ORDER BY node, min(rowid), page_order;
