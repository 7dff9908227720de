-- SPDX-License-Identifier: GPL-2.0-or-later
-- Unmovable pages that are live at the end, by stack, with the pages of slabs.
-- :lines 20  maximum number of rows
WITH held AS (
	SELECT o.stack, f.function AS caller, t.backing, sum(t.count) AS count, max(o.page_order) AS page_order,
		sum(t.count * o.bytes_alloc - t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size')) AS bytes
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	JOIN migratetype m ON m.id = o.migratetype
	LEFT JOIN frame f ON f.id = o.caller
	WHERE e.kind = 'page' AND t.state = 0 AND m.name = 'unmovable'
	GROUP BY 1, 2, 3 ORDER BY bytes DESC, count DESC, caller, o.stack LIMIT :lines)
SELECT bytes * factor AS live_bytes, count * factor AS live_count, page_order AS largest_order, b.name AS backing, caller,
	stack(h.stack) AS stack
FROM held h JOIN scale JOIN backing b ON b.id = h.backing
ORDER BY bytes DESC, count DESC, caller, h.stack;
