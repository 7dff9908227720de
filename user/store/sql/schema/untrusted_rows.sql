-- SPDX-License-Identifier: GPL-2.0-or-later
-- Rows that load never writes; one message, or no row. Stacks are walked from child to parent: a parent has a lower id and one
-- frame less; KMEMTRACE_STACK_DEPTH_MAX and one frame for those that were cut. Sums must fit into 62 bits. Names have the limits of
-- symbols.c, elffile.c and snapshots.c; bytes that are not UTF-8 take three. Text for people joins several.
WITH ends (what, id) AS (
	SELECT 'stack', s.id FROM stack s LEFT JOIN stack p ON p.id = s.parent
	WHERE s.parent >= s.id OR s.depth IS NOT coalesce(p.depth + 1, 1) OR s.depth > 129
	UNION ALL
	SELECT 'user_stack', s.id FROM user_stack s LEFT JOIN user_stack p ON p.id = s.parent
	WHERE s.parent >= s.id OR s.depth IS NOT coalesce(p.depth + 1, 1) OR s.depth > 129),
lengths (what, most, len) AS (
	SELECT 'frame', 4096, max(max(length(CAST(function AS BLOB)), length(CAST(name AS BLOB)),
		coalesce(length(CAST(module AS BLOB)), 0))) FROM frame
	UNION ALL
	SELECT 'symbol', 4096, max(max(length(CAST(name AS BLOB)), coalesce(length(CAST(module AS BLOB)), 0))) FROM symbol
	UNION ALL
	SELECT 'user_frame', 32768, max(max(length(CAST(name AS BLOB)), coalesce(length(CAST(function AS BLOB)), 0),
		coalesce(length(CAST(file AS BLOB)), 0))) FROM user_frame
	UNION ALL
	SELECT 'gfp', 16384, max(length(CAST(names AS BLOB))) FROM gfp
	UNION ALL
	SELECT 'event', 3 * 127, max(max(length(CAST(name AS BLOB)), coalesce(length(CAST(kind AS BLOB)), 0))) FROM event
	UNION ALL
	SELECT 'context', 3 * 127, max(length(CAST(name AS BLOB))) FROM context
	UNION ALL
	SELECT 'state', 3 * 127, max(length(CAST(name AS BLOB))) FROM state
	UNION ALL
	SELECT 'backing', 3 * 127, max(coalesce(length(CAST(name AS BLOB)), 0)) FROM backing
	UNION ALL
	SELECT 'migratetype', 3 * 127, max(length(CAST(name AS BLOB))) FROM migratetype
	UNION ALL
	SELECT 'unmatched', 3 * 127, max(length(CAST(class AS BLOB))) FROM unmatched
	UNION ALL
	SELECT 'loss_window', 3 * 127, max(length(CAST(reason AS BLOB))) FROM loss_window
	UNION ALL
	SELECT 'cache', 1024, max(max(coalesce(length(CAST(name AS BLOB)), 0), coalesce(length(CAST(slabinfo AS BLOB)), 0))) FROM cache
	UNION ALL
	SELECT 'task', 3 * 127, max(coalesce(length(CAST(comm AS BLOB)), 0)) FROM task
	UNION ALL
	SELECT 'module', 3 * 255, max(length(CAST(name AS BLOB))) FROM module
	UNION ALL
	SELECT 'cache_alias', 3 * 127, max(length(CAST(name AS BLOB))) FROM cache_alias),
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
	SELECT printf('table ''%s'': a name of %d bytes', what, len) FROM lengths WHERE len > most
	UNION ALL
	SELECT 'table ''alloc_total'': values are out of range' FROM sums
	WHERE least < 0 OR bytes > 4e18)
LIMIT 1;
