-- SPDX-License-Identifier: GPL-2.0-or-later
-- Unscaled totals of each origin, which rank call sites, caches and stacks. Pages with a backing are
-- left out.
SELECT t.origin, sum(t.count) AS count, sum(t.count * coalesce(o.bytes_alloc, 0)) AS bytes,
	sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) AS live_count,
	sum(CASE t.state WHEN 0 THEN t.count * coalesce(o.bytes_alloc, 0) -
		t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) AS live_bytes,
	CASE e.kind WHEN 'percpu' THEN 0 ELSE coalesce(o.bytes_alloc - o.bytes_req, 0) END AS waste
FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
WHERE t.backing = 0
GROUP BY t.origin ORDER BY t.origin;
