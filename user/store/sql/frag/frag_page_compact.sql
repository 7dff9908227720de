-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations that started direct compaction, by order and call site. A sample has all of them.
SELECT sum(p.count) AS count, o.page_order, f.function AS caller, f.module
FROM page_move p
JOIN origin o ON o.id = p.origin
JOIN event e ON e.id = o.event AND e.name = 'compact'
LEFT JOIN frame f ON f.id = o.caller
GROUP BY o.page_order, f.function, f.module
ORDER BY 1 DESC, o.page_order, caller, f.module LIMIT :limit;
