-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the module :name took and gave back, as one JSON array of objects, by kind and call site.
-- Its own is what a function of it called for, or called somebody who did. A module's init function is what
-- do_one_initcall() calls, and that of a module lies in memory that is gone later, so it often has no name: such
-- an allocation is :name's if it was made after :name was loaded, and before any other module was. Given back at
-- unload: freed by what delete_module() calls of it, or after it was gone.
WITH RECURSIVE
own_frame (id) AS MATERIALIZED (SELECT id FROM frame WHERE module = :name),
own (node) AS MATERIALIZED (
	SELECT id FROM stack WHERE frame IN own_frame
	UNION SELECT s.id FROM own JOIN stack s ON s.parent = own.node),
init_root (node, named) AS MATERIALIZED (
	SELECT s.id, s.frame IN own_frame FROM stack s
	JOIN stack p ON p.id = s.parent JOIN frame pf ON pf.id = p.frame JOIN frame f ON f.id = s.frame
	WHERE pf.function = 'do_one_initcall' AND (f.id IN own_frame OR f.symbol IS NULL)
		AND EXISTS (SELECT 1 FROM stack g JOIN frame gf ON gf.id = g.frame
			WHERE g.id = p.parent AND gf.function GLOB 'do_init_module*')),
init (node, named) AS MATERIALIZED (
	SELECT node, named FROM init_root
	UNION SELECT s.id, init.named FROM init JOIN stack s ON s.parent = init.node),
exit_stack (node) AS MATERIALIZED (
	SELECT s.id FROM stack s JOIN stack p ON p.id = s.parent JOIN frame pf ON pf.id = p.frame
	WHERE pf.function GLOB '*delete_module*' AND s.frame IN own_frame
	UNION SELECT s.id FROM exit_stack JOIN stack s ON s.parent = exit_stack.node),
loads (from_ns, to_ns, unload_ns) AS MATERIALIZED (
	SELECT coalesce(m.load_ns, -1), coalesce((SELECT min(n.load_ns) FROM module n WHERE n.load_ns > m.load_ns),
		9223372036854775807), m.unload_ns
	FROM module m WHERE m.name = :name),
mine (id, own, init, init_named) AS MATERIALIZED (
	SELECT o.id, coalesce(o.caller IN own_frame, 0) OR o.stack IN (SELECT node FROM own), i.node IS NOT NULL, i.named
	FROM origin o LEFT JOIN (SELECT node, max(named) AS named FROM init GROUP BY node) i ON i.node = o.stack
	WHERE o.caller IN own_frame OR o.stack IN (SELECT node FROM own) OR i.node IS NOT NULL),
exits (id) AS MATERIALIZED (SELECT id FROM origin WHERE stack IN (SELECT node FROM exit_stack)),
lives AS (
	SELECT a.*, m.own, m.init AND (m.init_named OR EXISTS (
			SELECT 1 FROM loads WHERE a.time_ns >= from_ns AND a.time_ns < to_ns)) AS at_init,
		o.bytes_alloc AS bytes, e.kind, f.function AS caller, f.module,
		coalesce(a.pages_freed, 0) * (SELECT value FROM meta WHERE key = 'page_size') AS parts
	FROM alloc a JOIN mine m ON m.id = a.origin JOIN origin o ON o.id = a.origin
	JOIN event e ON e.id = o.event LEFT JOIN frame f ON f.id = o.caller
	WHERE a.backing = 0 AND a.origin IN (SELECT id FROM mine)),
ends AS (
	SELECT *, state = 0 AS is_left, state <> 0 AND (free_origin IN exits OR EXISTS (
			SELECT 1 FROM loads WHERE unload_ns IS NOT NULL AND from_ns <= time_ns
				AND time_ns <= unload_ns AND time_ns + lifetime_ns >= unload_ns)) AS at_exit
	FROM lives WHERE own OR at_init),
sums AS (
	SELECT kind, caller, module,
		sum(bytes * at_init) AS init_bytes, sum(at_init) AS init_count,
		sum(bytes * (1 - at_init)) AS later_bytes, sum(1 - at_init) AS later_count,
		sum(CASE WHEN is_left THEN parts WHEN at_exit THEN 0 ELSE bytes END) AS freed_bytes,
		sum(NOT is_left AND NOT coalesce(at_exit, 0)) AS freed_count,
		sum(CASE WHEN at_exit THEN bytes ELSE 0 END) AS exit_bytes, sum(coalesce(at_exit, 0)) AS exit_count,
		sum(CASE WHEN is_left THEN bytes - parts ELSE 0 END) AS left_bytes, sum(is_left) AS left_count
	FROM ends GROUP BY kind, caller, module)
SELECT json_group_array(json_object('kind', kind, 'caller', caller, 'module', module,
	'init_bytes', init_bytes, 'init_count', init_count, 'later_bytes', later_bytes, 'later_count', later_count,
	'freed_bytes', freed_bytes, 'freed_count', freed_count, 'exit_bytes', exit_bytes, 'exit_count', exit_count,
	'left_bytes', left_bytes, 'left_count', left_count)) AS sums
FROM (SELECT * FROM sums ORDER BY kind, left_bytes DESC, init_bytes + later_bytes DESC, caller, module);
