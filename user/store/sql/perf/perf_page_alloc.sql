-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages by frame number, order, type and flags, as in perf kmem. callsite: of the latest allocation. A sample has
-- all events of its pages, so their figures are not scaled.
WITH classed AS (
	SELECT o.id, o.bytes_alloc, dense_rank() OVER (ORDER BY o.page_order, o.migratetype, o.gfp) AS class
	FROM origin o JOIN event e ON e.id = o.event
	WHERE e.kind = 'page'),
counted AS (
	SELECT p.pfn AS addr, o.page_order, o.migratetype, o.gfp, o.caller, p.hits, p.bytes
	FROM page_frames((SELECT group_concat(printf('%d %d %d', id, class, bytes_alloc), ' ') FROM classed)) p
	CROSS JOIN origin o ON o.id = p.latest_origin),
shown AS (
	SELECT c.addr AS pfn, c.bytes, c.hits, c.page_order, m.name AS migratetype, g.names AS gfp,
		coalesce(f.function, '(unknown)') AS callsite
	FROM counted c
	LEFT JOIN migratetype m ON m.id = c.migratetype
	LEFT JOIN gfp g ON g.value = c.gfp
	LEFT JOIN frame f ON f.id = c.caller)
SELECT * FROM shown
ORDER BY {order}, pfn, page_order, migratetype, gfp
LIMIT :limit;
