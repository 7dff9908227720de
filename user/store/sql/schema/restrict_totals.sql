-- SPDX-License-Identifier: GPL-2.0-or-later
-- The totals of what restrict.sql has left.
CREATE TEMP TABLE alloc_total AS
SELECT origin, ending & 7 AS state, ending >> 3 & 3 AS backing, count(*) AS count,
	sum(CASE ending & 7 WHEN 0 THEN parts >> 24 ELSE 0 END) AS pages_freed
FROM lifetime GROUP BY 1, 2, 3;
