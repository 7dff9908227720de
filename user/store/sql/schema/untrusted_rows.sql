-- SPDX-License-Identifier: GPL-2.0-or-later
-- Rows that load never writes; one message, or no row. Stacks are walked from child to parent: a parent has a lower id and one
-- frame less. Sums must fit into 62 bits. Names of merged caches have the limits of snapshots.c; bytes that are not UTF-8 take three.
WITH ends (what, id) AS (
	SELECT 'stack', s.id FROM stack s LEFT JOIN stack p ON p.id = s.parent
	WHERE s.parent >= s.id OR s.depth IS NOT coalesce(p.depth + 1, 1) OR s.depth > 1024
	UNION ALL
	SELECT 'user_stack', s.id FROM user_stack s LEFT JOIN user_stack p ON p.id = s.parent
	WHERE s.parent >= s.id OR s.depth IS NOT coalesce(p.depth + 1, 1) OR s.depth > 1024),
sums (least, bytes) AS (
	SELECT min(min(t.count, t.pages_freed, coalesce(o.bytes_alloc, 0))),
		total(abs(t.count * 1.0 * coalesce(o.bytes_alloc, 0))) +
			total(abs(t.pages_freed * 1.0 * coalesce((SELECT value FROM meta WHERE key = 'page_size'), 0)))
	FROM alloc_total t JOIN origin o ON o.id = t.origin)
SELECT * FROM (
	SELECT printf('table ''%s'': row %d has no root', what, id) FROM ends
	UNION ALL
	SELECT printf('table ''cache_alias'': %d caches share slabs', count(*)) FROM cache_alias GROUP BY slabs HAVING count(*) > 64
	UNION ALL
	SELECT printf('table ''cache_alias'': %d rows', count(*)) FROM cache_alias HAVING count(*) > 2048
	UNION ALL
	SELECT printf('table ''cache_alias'': a name of %d bytes', max(length(CAST(name AS BLOB)))) FROM cache_alias
	HAVING max(length(CAST(name AS BLOB))) > 3 * 127
	UNION ALL
	SELECT 'table ''alloc_total'': values are out of range' FROM sums
	WHERE least < 0 OR bytes > 4e18)
LIMIT 1;
