-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocated pages, by order and type; every order up to the largest has a row, even if it is 0.
WITH RECURSIVE orders (page_order) AS (
	SELECT 0 UNION ALL SELECT page_order + 1 FROM orders
	WHERE page_order < min(20, (SELECT coalesce(max(page_order), 0) FROM origin)))
SELECT r.page_order, m.name AS migratetype, coalesce(sum(t.count), 0) * (SELECT factor FROM scale) AS count
FROM orders r
CROSS JOIN migratetype m
LEFT JOIN origin o ON o.page_order = r.page_order AND o.migratetype = m.id
	AND o.event IN (SELECT id FROM event WHERE kind = 'page')
LEFT JOIN alloc_total t ON t.origin = o.id
GROUP BY r.page_order, m.id ORDER BY r.page_order, m.id;
