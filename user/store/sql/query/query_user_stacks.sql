-- SPDX-License-Identifier: GPL-2.0-or-later
-- Calls in programs that led to allocations, of all call sites or of one. Needs record --user-stacks.
-- :kind slab  slab, page, percpu or vmalloc
-- :site    call site in the kernel; empty: all
-- :lines 20  maximum number of rows
WITH held AS (
	SELECT o.user_stack,
		sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) AS live_count,
		sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc - t.pages_freed *
			(SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) AS live_bytes,
		sum(t.count) AS count, sum(t.count * o.bytes_alloc) AS bytes
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE o.user_stack IS NOT NULL AND t.backing = 0 AND e.kind = :kind AND (:site = '' OR f.function = :site)
	GROUP BY 1 ORDER BY bytes DESC, count DESC, 1 LIMIT :lines)
SELECT bytes * factor AS total_bytes, count * factor AS count, live_bytes * factor AS live_bytes,
	live_count * factor AS live_count, u.text AS user_stack
FROM held h JOIN scale JOIN user_stacks u ON u.id = h.user_stack
ORDER BY bytes DESC, count DESC, h.user_stack;
