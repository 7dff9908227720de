-- SPDX-License-Identifier: GPL-2.0-or-later
-- Changes of the largest order of a free block, by zone: the first value of each zone and the last changes, :limit rows.
WITH steps AS (
	SELECT time_ns, node, zone, free_pages, largest_order,
		lag(largest_order, 1, -2) OVER (PARTITION BY node, zone ORDER BY time_ns) AS before
	FROM (SELECT time_ns, node, zone, free_pages, coalesce(largest_order, -1) AS largest_order FROM zone_free)),
changes AS (
	SELECT *, row_number() OVER (PARTITION BY node, zone ORDER BY time_ns DESC) AS back,
		row_number() OVER (PARTITION BY node, zone ORDER BY time_ns) AS number
	FROM steps WHERE largest_order <> before)
SELECT node, zone, time_ns / 1e9 AS time_s, nullif(largest_order, -1) AS largest_order,
	free_pages * (SELECT value FROM meta WHERE key = 'page_size') AS free_bytes
FROM changes WHERE number = 1 OR back < :limit ORDER BY node, zone, time_ns;
