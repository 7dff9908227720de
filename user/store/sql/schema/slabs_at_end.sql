-- SPDX-License-Identifier: GPL-2.0-or-later
-- The view slabs, with objects counted in one pass over the remaining allocations.
WITH held AS MATERIALIZED (
	SELECT slab, objects, object_bytes, cache, object_size FROM slab_contents(
		(SELECT group_concat(id || ' ' || pfn || ' ' || page_order, ' ') FROM slab_blocks),
		(SELECT group_concat(printf('%d %d %d', o.id, o.bytes_alloc, coalesce(o.cache, -9223372036854775807 - 1)), ' ')
			FROM origin o JOIN event e ON e.id = o.event WHERE e.kind = 'slab'),
		(SELECT b.value || ' ' || p.value FROM meta b, meta p WHERE b.key = 'linear_base' AND p.key = 'page_size'))),
size AS (
	SELECT name, max(object_size) AS object_size, max(objs_per_slab) AS objects, max(pages_per_slab) AS pages
	FROM slabinfo WHERE objs_per_slab > 0 AND object_size > 0 GROUP BY name),
slab AS (
	SELECT b.id, b.addr AS pfn, o.page_order, o.bytes_alloc AS bytes, b.time_ns,
		CASE WHEN o.migratetype = 2 THEN 'SReclaimable' WHEN o.migratetype IS NOT NULL THEN 'SUnreclaim' END AS account,
		h.objects, h.object_bytes, c.name AS cache,
		max(nullif(h.objects, 0), CASE 1 << o.page_order WHEN i.pages THEN i.objects
			ELSE o.bytes_alloc / coalesce(i.object_size, h.object_size) END) AS of_objects
	FROM held h CROSS JOIN alloc b ON b.id = h.slab CROSS JOIN origin o ON o.id = b.origin
	LEFT JOIN cache c ON c.id = h.cache
	LEFT JOIN size i ON i.name = c.slabinfo)
SELECT *, CASE objects WHEN 0 THEN 0.0 ELSE 100.0 * objects / of_objects END AS live_pct FROM slab
