-- SPDX-License-Identifier: GPL-2.0-or-later
-- The first :levels functions of each of the origins in temp.company_origins, from its call site outwards, without functions of
-- allocators: a number for each function with the same callers.
WITH RECURSIVE walk (origin, level, node) AS (
	SELECT id, 0, stack FROM origin WHERE id IN (SELECT origin FROM temp.company_origins) AND stack IS NOT NULL
	UNION ALL
	SELECT w.origin, w.level + 1 - f.allocator, s.parent
	FROM walk w JOIN stack s ON s.id = w.node JOIN frame f ON f.id = s.frame
	WHERE w.level + 1 - f.allocator < :levels AND s.parent IS NOT NULL)
SELECT w.origin, w.level, dense_rank() OVER (ORDER BY s.parent, f.function)
FROM walk w JOIN stack s ON s.id = w.node JOIN frame f ON f.id = s.frame
WHERE NOT f.allocator AND s.parent IS NOT NULL;
