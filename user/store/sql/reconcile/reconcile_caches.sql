-- SPDX-License-Identifier: GPL-2.0-or-later
-- By slab cache: the growth of slabinfo's active objects, and the trace's figures: live objects (including
-- those that RCU is still freeing), minus freed ones from before the trace. slabinfo's size of an
-- object is the distance to the next one, so both count bytes in that size.
WITH scaled (factor) AS (SELECT factor FROM scale),
grown (name, object_size, objects, bytes) AS (
	SELECT name, max(object_size), sum(CASE phase WHEN 'end' THEN active_objs ELSE -active_objs END),
		sum(CASE phase WHEN 'end' THEN active_objs ELSE -active_objs END * object_size)
	FROM slabinfo GROUP BY name),
seen (name, object_size, live, before) AS (
	SELECT c.slabinfo, max(c.object_size), sum(s.live), sum(s.before) FROM (
		SELECT origin, count AS live, 0 AS before FROM alloc_total WHERE state IN (0, 4)
		UNION ALL
		SELECT origin, 0, count FROM unmatched WHERE class = 'before') s
	JOIN origin o ON o.id = s.origin JOIN cache c ON c.id = o.cache GROUP BY c.slabinfo),
both (cache, object_size, kernel_count, kernel_bytes, live, before) AS (
	SELECT g.name, g.object_size, g.objects, g.bytes, coalesce(s.live, 0), coalesce(s.before, 0)
	FROM grown g LEFT JOIN seen s ON s.name = g.name
	UNION ALL
	SELECT s.name, s.object_size, NULL, NULL, s.live, s.before FROM seen s
	WHERE s.name IS NULL OR s.name NOT IN (SELECT name FROM grown)),
row (cache, object_size, kernel_count, live_count, before_count, kernel_bytes, tracked_bytes) AS (
	SELECT cache, object_size, kernel_count, live * factor, before * factor, kernel_bytes,
		(live - before) * object_size * factor FROM both, scaled)
SELECT cache, object_size AS object_bytes, kernel_count, live_count, before_count, kernel_bytes, tracked_bytes,
	kernel_bytes - tracked_bytes AS unexplained_bytes,
	CASE WHEN kernel_bytes <> 0 THEN round(100.0 * tracked_bytes / kernel_bytes, 2) END AS explained_pct
FROM row WHERE kernel_bytes <> 0 OR live_count > 0 OR before_count > 0
ORDER BY abs(coalesce(kernel_bytes, 0) - tracked_bytes) DESC, abs(tracked_bytes) DESC, cache LIMIT :limit;
