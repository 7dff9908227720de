-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages by frame number, order, type and flags, as perf kmem has them. callsite: of the latest allocation.
WITH counted AS (
	SELECT a.addr, o.page_order, o.migratetype, o.gfp, o.caller, max(a.time_ns), count(*) AS hits,
		sum(o.bytes_alloc) AS bytes
	FROM alloc a JOIN origin o ON o.id = a.origin JOIN event e ON e.id = o.event
	WHERE e.kind = 'page'
	GROUP BY a.addr, o.page_order, o.migratetype, o.gfp),
shown AS (
	SELECT c.addr AS pfn, c.bytes * (SELECT factor FROM scale) AS bytes,
		c.hits * (SELECT factor FROM scale) AS hits, c.page_order, m.name AS migratetype, g.names AS gfp,
		coalesce(f.function, '(unknown)') AS callsite
	FROM counted c
	LEFT JOIN migratetype m ON m.id = c.migratetype
	LEFT JOIN gfp g ON g.value = c.gfp
	LEFT JOIN frame f ON f.id = c.caller)
SELECT * FROM shown
ORDER BY CASE :key1 WHEN 'page' THEN pfn WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes WHEN 'hit' THEN hits WHEN 'order' THEN page_order WHEN 'migtype' THEN migratetype WHEN 'gfp' THEN gfp END DESC,
	CASE :key2 WHEN 'page' THEN pfn WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes WHEN 'hit' THEN hits WHEN 'order' THEN page_order WHEN 'migtype' THEN migratetype WHEN 'gfp' THEN gfp END DESC,
	CASE :key3 WHEN 'page' THEN pfn WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes WHEN 'hit' THEN hits WHEN 'order' THEN page_order WHEN 'migtype' THEN migratetype WHEN 'gfp' THEN gfp END DESC,
	CASE :key4 WHEN 'page' THEN pfn WHEN 'callsite' THEN callsite WHEN 'bytes' THEN bytes WHEN 'hit' THEN hits WHEN 'order' THEN page_order WHEN 'migtype' THEN migratetype WHEN 'gfp' THEN gfp END DESC,
	pfn, page_order, migratetype, gfp
LIMIT :limit;
