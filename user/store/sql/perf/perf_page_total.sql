-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of pages, as in perf kmem; live: allocated and not freed in the trace.
SELECT what, count, bytes FROM (
	SELECT 1 AS line, 'Total allocation requests' AS what,
		(SELECT coalesce(sum(t.count), 0) * (SELECT factor FROM scale) FROM alloc_total t JOIN origin o ON o.id = t.origin
			JOIN event e ON e.id = o.event WHERE e.kind = 'page') +
		(SELECT coalesce(sum(x.count), 0) FROM failed x JOIN origin o ON o.id = x.origin
			JOIN event e ON e.id = o.event WHERE e.kind = 'page') AS count,
		(SELECT coalesce(sum(t.count * o.bytes_alloc), 0) * (SELECT factor FROM scale) FROM alloc_total t
			JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event WHERE e.kind = 'page') +
		(SELECT coalesce(sum(x.count * o.bytes_alloc), 0) FROM failed x JOIN origin o ON o.id = x.origin
			JOIN event e ON e.id = o.event WHERE e.kind = 'page') AS bytes
	UNION ALL
	SELECT 2, 'Total free requests',
		(SELECT coalesce(sum(c.count), 0) * (SELECT factor FROM scale) FROM event_count c JOIN event e ON e.id = c.event
			WHERE e.name = 'page_free'),
		(SELECT coalesce(sum(CASE WHEN t.state IN (1, 3) THEN t.count * o.bytes_alloc ELSE t.pages_freed *
				(SELECT value FROM meta WHERE key = 'page_size') END), 0) * (SELECT factor FROM scale)
			FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
			WHERE e.kind = 'page') +
		(SELECT coalesce(sum(u.bytes), 0) * (SELECT factor FROM scale) FROM unmatched u JOIN origin o ON o.id = u.origin
			JOIN event e ON e.id = o.event WHERE e.name = 'page_free')
	UNION ALL
	SELECT 3, 'Total alloc+freed requests', coalesce(sum(t.count), 0) * (SELECT factor FROM scale),
		coalesce(sum(t.count * o.bytes_alloc), 0) * (SELECT factor FROM scale)
	FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
	WHERE e.kind = 'page' AND t.state <> 0
	UNION ALL
	SELECT 4, 'Total alloc-only requests', coalesce(sum(t.count), 0) * (SELECT factor FROM scale),
		coalesce(sum(t.count * o.bytes_alloc -
			t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size')), 0) * (SELECT factor FROM scale)
	FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
	WHERE e.kind = 'page' AND t.state = 0
	UNION ALL
	SELECT 5, 'Total free-only requests', coalesce(sum(u.count), 0) * (SELECT factor FROM scale),
		coalesce(sum(u.bytes), 0) * (SELECT factor FROM scale)
	FROM unmatched u JOIN origin o ON o.id = u.origin JOIN event e ON e.id = o.event
	WHERE e.name = 'page_free'
	UNION ALL
	SELECT 6, 'Total allocation failures', coalesce(sum(x.count), 0), coalesce(sum(x.count * o.bytes_alloc), 0)
	FROM failed x JOIN origin o ON o.id = x.origin JOIN event e ON e.id = o.event
	WHERE e.kind = 'page')
ORDER BY line;
