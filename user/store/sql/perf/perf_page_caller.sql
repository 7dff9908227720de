-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages by caller, order, type and flags, as in perf kmem: all of them, including those that back slabs.
WITH shown AS (
	SELECT NULL AS pfn, sum(t.count * o.bytes_alloc) * (SELECT factor FROM scale) AS bytes,
		sum(t.count) * (SELECT factor FROM scale) AS hits, o.page_order, m.name AS migratetype, g.names AS gfp,
		coalesce(f.function, '(unknown)') AS callsite
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN migratetype m ON m.id = o.migratetype
	LEFT JOIN gfp g ON g.value = o.gfp
	LEFT JOIN frame f ON f.id = o.caller
	WHERE e.kind = 'page'
	GROUP BY f.function, o.page_order, o.migratetype, o.gfp)
SELECT bytes, hits, page_order, migratetype, gfp, callsite FROM shown
ORDER BY {order}, callsite, page_order, migratetype, gfp
LIMIT :limit;
