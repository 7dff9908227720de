-- SPDX-License-Identifier: GPL-2.0-or-later
-- Owners of nearly empty slabs: the bytes of each are divided among its objects.
WITH nearly AS MATERIALIZED (
	SELECT id, pfn, page_order, bytes, objects, cache, account
	FROM slabs_at_end WHERE objects > 0 AND 4 * objects < of_objects),
held AS MATERIALIZED (
	SELECT slab, origin, objects, mean_ns, first_ns FROM slab_holders(
		(SELECT group_concat(id || ' ' || pfn || ' ' || page_order, ' ') FROM nearly),
		(SELECT group_concat(printf('%d %d 0', o.id, o.bytes_alloc), ' ')
			FROM origin o JOIN event e ON e.id = o.event WHERE e.kind = 'slab'),
		(SELECT b.value || ' ' || p.value FROM meta b, meta p WHERE b.key = 'linear_base' AND p.key = 'page_size')))
SELECT CAST(round(sum(1.0 * s.objects * n.bytes / n.objects)) AS INTEGER) AS pinned_bytes, sum(s.objects * o.bytes_alloc) AS object_bytes,
	sum(s.objects) AS objects, count(DISTINCT n.id) AS slabs, f.function AS caller, f.module, n.cache, n.account,
	CAST(total(1.0 * s.objects * ((SELECT value FROM meta WHERE key = 'span_ns') - s.mean_ns)) / sum(s.objects) AS INTEGER) AS average_age_ns,
	(SELECT value FROM meta WHERE key = 'span_ns') - min(s.first_ns) AS oldest_ns
FROM held s
CROSS JOIN nearly n ON n.id = s.slab
JOIN origin o ON o.id = s.origin
LEFT JOIN frame f ON f.id = o.caller
GROUP BY f.function, f.module, n.cache, n.account
ORDER BY 1 DESC, objects DESC, caller, f.module, n.cache LIMIT :limit;
