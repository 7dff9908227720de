-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who keeps nearly empty slabs: the bytes of each are shared out among the objects in it.
WITH nearly AS (
	SELECT id, bytes, objects, cache, account
	FROM slabs WHERE objects > 0 AND 4 * objects < of_objects)
SELECT CAST(round(sum(1.0 * n.bytes / n.objects)) AS INTEGER) AS pinned_bytes, sum(o.bytes_alloc) AS object_bytes,
	count(*) AS objects, count(DISTINCT n.id) AS slabs, f.function AS caller, f.module, n.cache, n.account,
	(SELECT value FROM meta WHERE key = 'span_ns') - CAST(avg(s.time_ns) AS INTEGER) AS average_age_ns,
	(SELECT value FROM meta WHERE key = 'span_ns') - min(s.time_ns) AS oldest_ns
FROM slab_objects s
CROSS JOIN nearly n ON n.id = s.slab
JOIN origin o ON o.id = s.origin
LEFT JOIN frame f ON f.id = o.caller
GROUP BY f.function, f.module, n.cache, n.account
ORDER BY 1 DESC, objects DESC, caller, f.module, n.cache LIMIT :limit;
