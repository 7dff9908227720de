-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations and frees of the module :name, by kind and call site.
-- An allocation is the module's own if a function of the module is on the stack. A module's init function is called by
-- do_one_initcall(), and its code is freed later, so it often has no name: such
-- an allocation is :name's if it was made after :name was loaded, and before any other module was. Freed at
-- unload: freed by functions that delete_module() calls in it, or after the unload. An exit function with a tail call into the
-- kernel is not on the stack of that call: the time shows whether delete_module() ran for :name.
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
delete_stack (node) AS MATERIALIZED (
	SELECT s.id FROM stack s JOIN frame f ON f.id = s.frame WHERE f.function GLOB '*delete_module*'),
tail_stack (node) AS MATERIALIZED (
	SELECT s.id FROM delete_stack d JOIN stack s ON s.parent = d.node JOIN frame f ON f.id = s.frame WHERE f.module IS NULL
	UNION SELECT s.id FROM tail_stack JOIN stack s ON s.parent = tail_stack.node),
next_load (ns, next_ns) AS MATERIALIZED (
	SELECT load_ns, lead(load_ns) OVER (ORDER BY load_ns) FROM (SELECT DISTINCT coalesce(load_ns, -1) AS load_ns FROM module)),
last_unload (ns, last_ns) AS MATERIALIZED (
	SELECT unload_ns, lag(unload_ns) OVER (ORDER BY unload_ns) FROM (SELECT DISTINCT unload_ns FROM module WHERE unload_ns IS NOT NULL)),
loads (from_ns, to_ns, unload_ns, other_unload_ns) AS MATERIALIZED (
	SELECT coalesce(m.load_ns, -1), coalesce(n.next_ns, 9223372036854775807), m.unload_ns, l.last_ns
	FROM module m LEFT JOIN next_load n ON n.ns = coalesce(m.load_ns, -1) LEFT JOIN last_unload l ON l.ns = m.unload_ns
	WHERE m.name = :name),
mine (id, own, init, init_named) AS MATERIALIZED (
	SELECT o.id, coalesce(o.caller IN own_frame, 0) OR o.stack IN (SELECT node FROM own), i.node IS NOT NULL, i.named
	FROM origin o LEFT JOIN (SELECT node, max(named) AS named FROM init GROUP BY node) i ON i.node = o.stack
	WHERE (o.caller IN own_frame OR o.stack IN (SELECT node FROM own) OR i.node IS NOT NULL)
		AND (:name = 'kmemtrace' OR o.id NOT IN (SELECT origin FROM tracer_origin))
		AND o.id NOT IN (SELECT origin FROM kernel_origins)),
-- Bits: 16 freed by its exit function for certain, 32 possibly.
exits (id, bits) AS MATERIALIZED (
	SELECT id, 16 FROM origin WHERE stack IN (SELECT node FROM exit_stack)
	UNION ALL SELECT id, 32 FROM origin
		WHERE stack IN (SELECT node FROM tail_stack UNION ALL SELECT node FROM delete_stack)),
page (bytes) AS (SELECT value FROM meta WHERE key = 'page_size'),
-- Bits: 2 its own, 4 by an init function, 8 by an init function that is its own.
counts AS MATERIALIZED (
	SELECT origin, own, at_init, is_left, at_exit, count, pages_freed * (SELECT bytes FROM page) AS parts
	FROM module_lives(
		(SELECT group_concat(id || ' ' || (2 * own + 4 * init + 8 * coalesce(init_named, 0)), ' ') FROM mine),
		(SELECT group_concat(id || ' ' || bits, ' ') FROM exits),
		(SELECT group_concat(from_ns || ' ' || to_ns || ' ' || coalesce(unload_ns, -9223372036854775807 - 1) || ' ' ||
			coalesce(other_unload_ns, -9223372036854775807 - 1), ' ') FROM loads))),
sums AS (
	SELECT e.kind, f.function AS caller, f.module,
		sum(n.count * o.bytes_alloc * at_init) AS init_bytes, sum(n.count * at_init) AS init_count,
		sum(n.count * o.bytes_alloc * (1 - at_init)) AS later_bytes, sum(n.count * (1 - at_init)) AS later_count,
		sum(CASE WHEN is_left THEN parts WHEN at_exit THEN 0 ELSE n.count * o.bytes_alloc END) AS freed_bytes,
		sum(n.count * (1 - is_left) * (1 - at_exit)) AS freed_count,
		sum(n.count * o.bytes_alloc * at_exit) AS exit_bytes, sum(n.count * at_exit) AS exit_count,
		sum(is_left * (n.count * o.bytes_alloc - parts)) AS left_bytes, sum(n.count * is_left) AS left_count
	FROM counts n JOIN origin o ON o.id = n.origin JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE own OR at_init
	GROUP BY e.kind, f.function, f.module)
SELECT kind, caller, module, init_bytes * factor, init_count * factor, later_bytes * factor, later_count * factor, freed_bytes * factor,
	freed_count * factor, exit_bytes * factor, exit_count * factor, left_bytes * factor, left_count * factor
FROM sums JOIN scale ORDER BY kind, left_bytes DESC, init_bytes + later_bytes DESC, caller, module;
