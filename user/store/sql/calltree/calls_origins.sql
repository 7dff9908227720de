-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of each origin, and the bytes and waste of one of them. Pages with a backing are left out, except with :backed.
WITH total AS (
	SELECT origin, sum(count) AS count, sum(count) FILTER (WHERE state = 0) AS live, sum(pages_freed) AS pages_freed
	FROM alloc_total WHERE backing = 0 OR :backed GROUP BY origin
), early AS (SELECT origin, sum(count) AS count FROM temporary_total WHERE within = 1 GROUP BY origin)
SELECT o.id, CASE e.kind WHEN 'slab' THEN 0 WHEN 'page' THEN 1 WHEN 'percpu' THEN 2 ELSE 3 END, e.name,
	coalesce(o.stack, 0), coalesce(o.caller, 0), coalesce(o.bytes_alloc, 0),
	CASE e.kind WHEN 'percpu' THEN 0 ELSE coalesce(o.bytes_alloc - o.bytes_req, 0) END,
	t.count, coalesce(t.live, 0),
	coalesce(t.live, 0) * coalesce(o.bytes_alloc, 0) -
		t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size'),
	coalesce(early.count, 0), (SELECT factor FROM scale), coalesce(o.user_stack, 0)
FROM total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
LEFT JOIN early ON early.origin = o.id
WHERE e.kind IS NOT NULL ORDER BY o.id;
