-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slabs with objects at the end, by cache.
SELECT sum(CASE WHEN 4 * objects < of_objects THEN bytes ELSE 0 END) AS nearly_empty_bytes,
	sum(4 * objects < of_objects) AS nearly_empty, count(*) AS slabs, sum(bytes) AS slab_bytes,
	sum(objects) AS objects, sum(of_objects) AS of_objects, 100.0 * sum(objects) / sum(of_objects) AS live_pct,
	cache, account
FROM slabs_at_end WHERE objects > 0
GROUP BY cache, account ORDER BY 1 DESC, slab_bytes DESC, cache, account LIMIT :limit;
