-- SPDX-License-Identifier: GPL-2.0-or-later
-- Free blocks by order, all zones: the change in buddyinfo, and the change by page allocations and frees of this
-- order that have no counterpart in the trace. Blocks are split and merged in between, so only the sum over all orders can match.
WITH page (bytes) AS (SELECT value FROM meta WHERE key = 'page_size'),
listed (page_order, start_count, end_count) AS (
	SELECT page_order, sum(CASE phase WHEN 'start' THEN blocks ELSE 0 END),
		sum(CASE phase WHEN 'end' THEN blocks ELSE 0 END)
	FROM buddyinfo GROUP BY page_order),
seen (page_order, taken, given) AS (
	SELECT o.page_order, sum(s.taken), sum(s.given) FROM (
		SELECT t.origin, t.count * o.bytes_alloc - t.pages_freed * (SELECT bytes FROM page) AS taken, 0 AS given
		FROM alloc_total t JOIN origin o ON o.id = t.origin WHERE t.state = 0
		UNION ALL
		SELECT origin, 0, bytes FROM unmatched WHERE class = 'before') s
	JOIN origin o ON o.id = s.origin JOIN event e ON e.id = o.event
	WHERE e.name IN ('page_alloc', 'page_free') GROUP BY o.page_order)
SELECT l.page_order, l.start_count, l.end_count,
	(l.end_count - l.start_count) * (SELECT bytes FROM page) * (1 << l.page_order) AS kernel_bytes,
	coalesce(s.taken, 0) * factor AS taken_bytes, coalesce(s.given, 0) * factor AS given_bytes,
	(coalesce(s.given, 0) - coalesce(s.taken, 0)) * factor AS tracked_bytes
FROM scale, listed l LEFT JOIN seen s ON s.page_order = l.page_order
ORDER BY l.page_order;
