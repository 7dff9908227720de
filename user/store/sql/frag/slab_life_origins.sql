-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each origin: bytes; for pages the order and the account (1: SUnreclaim, 2: SReclaimable, 0: unknown); for
-- objects the first origin of the same call site, and the first cache of the same name (0: none).
SELECT o.id, e.kind = 'slab' AS is_object, coalesce(o.bytes_alloc, 0), coalesce(o.page_order, 0),
	CASE WHEN o.migratetype = 2 THEN 2 WHEN o.migratetype IS NOT NULL THEN 1 ELSE 0 END,
	min(o.id) OVER (PARTITION BY e.kind, f.function, f.module),
	coalesce(n.first, o.cache, 0)
FROM origin o
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN (SELECT name, min(id) AS first FROM cache GROUP BY name) n ON n.name = c.name
WHERE e.kind IN ('slab', 'page');
