-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations that were freed on another CPU, with both stacks.
-- :lines 20  maximum number of rows
WITH total AS (
	SELECT origin, sum(count) AS count FROM alloc_total WHERE backing = 0 AND state IN (1, 3, 4) GROUP BY 1),
top AS MATERIALIZED (
	SELECT origin, free_origin, count FROM freed_elsewhere ORDER BY count DESC, origin, free_origin LIMIT :lines)
SELECT top.count * factor AS count, 100.0 * top.count / total.count AS of_freed_pct, e.kind, f.function AS caller,
	ff.function AS free_caller, stack(o.stack) AS stack, stack(fo.stack) AS free_stack
FROM top JOIN scale JOIN total USING (origin)
JOIN origin o ON o.id = top.origin
JOIN event e ON e.id = o.event
JOIN origin fo ON fo.id = top.free_origin
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN frame ff ON ff.id = fo.caller
ORDER BY top.count DESC, top.origin, top.free_origin;
