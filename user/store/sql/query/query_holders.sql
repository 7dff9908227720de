-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live memory at the end, by stack.
-- :kind    slab, page, percpu or vmalloc; empty: all, in separate rows
-- :lines 20  maximum number of rows
WITH held AS (
	SELECT e.kind, o.stack, f.function AS caller, f.module, sum(t.count) AS count,
		sum(t.count * o.bytes_alloc - t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size')) AS bytes
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE t.state = 0 AND t.backing = 0 AND (:kind = '' OR e.kind = :kind)
	GROUP BY 1, 2, 3, 4 ORDER BY bytes DESC, count DESC, kind, caller, stack LIMIT :lines)
SELECT kind, bytes * factor AS live_bytes, count * factor AS live_count, caller, module, stack(stack) AS stack
FROM held, scale ORDER BY bytes DESC, count DESC, kind, caller, held.stack;
