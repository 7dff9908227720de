-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slabs at the end, by their account in /proc/meminfo. Nearly empty: less than a quarter of the
-- capacity is live, or still being freed by RCU; empty: no objects.
SELECT account,
	count(*) AS slabs, sum(bytes) AS slab_bytes, sum(objects) AS objects, sum(object_bytes) AS object_bytes,
	100.0 * sum(object_bytes) / sum(bytes) AS live_pct,
	sum(objects > 0 AND 4 * objects < of_objects) AS nearly_empty,
	sum(CASE WHEN objects > 0 AND 4 * objects < of_objects THEN bytes ELSE 0 END) AS nearly_empty_bytes,
	sum(objects = 0) AS empty, sum(CASE objects WHEN 0 THEN bytes ELSE 0 END) AS empty_bytes
FROM slabs_at_end
GROUP BY 1 ORDER BY 1 DESC;
