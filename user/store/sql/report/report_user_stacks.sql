-- SPDX-License-Identifier: GPL-2.0-or-later
-- The calls in programs that led to one call site, largest first. Pages with a backing are left out.
WITH held AS (
	SELECT e.kind, o.user_stack, sum(t.count * o.bytes_alloc) AS bytes, sum(t.count) AS count,
		sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc - t.pages_freed *
			(SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) AS live_bytes,
		sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) AS live_count
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	JOIN frame f ON f.id = o.caller
	WHERE o.user_stack IS NOT NULL AND t.backing = 0 AND f.function = :site
	GROUP BY 1, 2 ORDER BY bytes DESC, count DESC, 1, 2 LIMIT :limit)
SELECT bytes * factor AS total_bytes, count * factor AS count, live_bytes * factor AS live_bytes,
	live_count * factor AS live_count, kind, u.text AS user_stack
FROM held h JOIN scale JOIN user_stacks u ON u.id = h.user_stack
ORDER BY bytes DESC, h.count DESC, kind, h.user_stack;
