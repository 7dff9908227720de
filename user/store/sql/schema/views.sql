-- SPDX-License-Identifier: GPL-2.0-or-later
-- The views. A view of the file sees the file alone: a connection that is restricted to an interval has its own of them all. What is in
-- braces is of statements.c: TEMP for those, and the groups of paths.

-- ---- names of functions ----

CREATE {temp}VIEW frames AS
SELECT id, printf('0x%x', addr) AS addr, function, name, module, allocator FROM frame;

CREATE {temp}VIEW stack_frames AS
WITH RECURSIVE walk (stack, level, node) AS (
	SELECT id, 0, id FROM stack WHERE whole
	UNION ALL
	SELECT w.stack, w.level + 1, s.parent FROM walk w JOIN stack s ON s.id = w.node
	WHERE s.parent IS NOT NULL)
SELECT w.stack, w.level, printf('0x%x', f.addr) AS addr, f.name, f.module, f.function, f.allocator
FROM walk w JOIN stack s ON s.id = w.node JOIN frame f ON f.id = s.frame;

-- Whether the kernel boots in the trace; one row.
CREATE {temp}VIEW boot AS SELECT EXISTS (SELECT 1 FROM frame WHERE function = 'kernel_init_freeable') AS boots;

-- Kinds that the trace lacks: not selected, or missing in its kernel. The path kfree_rcu alone does not trace vmalloc space.
CREATE {temp}VIEW untraced_kinds AS
SELECT kind FROM (SELECT name AS kind FROM event_group WHERE NOT traced UNION SELECT event_group FROM paths
	WHERE event_group IS NOT NULL AND name <> 'kfree_rcu' GROUP BY event_group HAVING min(state = 'unseen'))
WHERE kind IN (SELECT kind FROM event);

-- Modules that were unloaded. They can't free what they allocated before until_ns: anything, unless loaded again.
CREATE {temp}VIEW module_unloads AS
SELECT name AS module, iif(count(*) = count(unload_ns), 9223372036854775807, max(unload_ns)) AS until_ns
FROM module GROUP BY name HAVING count(unload_ns) > 0;

-- Origins of kernel-owned memory: see finish.sql.
CREATE {temp}VIEW kernel_origins AS SELECT origin FROM kernel_origin;

-- Origins of modules that were unloaded: what they allocated before until_ns is orphaned.
CREATE {temp}VIEW orphan_origins AS
SELECT o.id AS origin, u.until_ns FROM origin o JOIN frame f ON f.id = o.caller JOIN module_unloads u ON u.module = f.module
WHERE o.id NOT IN (SELECT origin FROM kernel_origins);

-- From the roots of all stacks: a step lasts until a caller of the same rank calls another function, or one of higher rank does.
CREATE {temp}VIEW boot_steps AS
WITH RECURSIVE caller (function, called_by, rank) AS (
	VALUES ('do_one_initcall', 'initcall', 2), ('async_run_entry_fn', 'async', 2), ('start_kernel', 'start_kernel', 1),
		('kernel_init_freeable', 'kernel_init_freeable', 1)),
walk (stack, step, called_by, rank) AS (
	SELECT id, NULL, NULL, 0 FROM stack
	WHERE parent IS NULL AND (SELECT boots FROM boot)
	UNION ALL
	SELECT s.id, iif(c.rank >= w.rank, f.function, w.step), iif(c.rank >= w.rank, c.called_by, w.called_by),
		max(w.rank, ifnull(c.rank, 0))
	FROM walk w JOIN stack p ON p.id = w.stack JOIN frame g ON g.id = p.frame LEFT JOIN caller c ON c.function = g.function
	JOIN stack s ON s.parent = p.id JOIN frame f ON f.id = s.frame)
SELECT stack, step, called_by FROM walk WHERE step IS NOT NULL;

CREATE {temp}VIEW stacks AS
SELECT s.id, s.depth, (
	WITH RECURSIVE walk (level, node, parent, frame) AS (
		SELECT 0, s.id, s.parent, s.frame
		UNION ALL
		SELECT w.level + 1, p.id, p.parent, p.frame FROM walk w JOIN stack p ON p.id = w.parent)
	SELECT group_concat(name, ' < ') FROM (
		SELECT f.name FROM walk w JOIN frame f ON f.id = w.frame ORDER BY w.level)
	) AS text
FROM stack s WHERE s.whole;

CREATE {temp}VIEW user_frames AS
WITH RECURSIVE walk (stack, level, node) AS (
	SELECT id, 0, id FROM user_stack WHERE whole
	UNION ALL
	SELECT w.stack, w.level + 1, s.parent FROM walk w JOIN user_stack s ON s.id = w.node
	WHERE s.parent IS NOT NULL)
SELECT w.stack, w.level, f.name, f.function, f.file, iif(f.addr IS NULL, NULL, printf('0x%x', f.addr)) AS addr,
	iif(f.offset IS NULL, NULL, printf('0x%x', f.offset)) AS offset
FROM walk w JOIN user_stack s ON s.id = w.node JOIN user_frame f ON f.id = s.frame;

CREATE {temp}VIEW user_stacks AS
SELECT s.id, s.depth, (
	WITH RECURSIVE walk (level, node, parent, frame) AS (
		SELECT 0, s.id, s.parent, s.frame
		UNION ALL
		SELECT w.level + 1, p.id, p.parent, p.frame FROM walk w JOIN user_stack p ON p.id = w.parent)
	SELECT group_concat(name, ' < ') FROM (
		SELECT f.name FROM walk w JOIN user_frame f ON f.id = w.frame ORDER BY w.level)
	) AS text
FROM user_stack s WHERE s.whole;

-- ---- allocations ----

CREATE {temp}VIEW alloc AS
SELECT l.rowid AS id, l.origin,
	CASE WHEN l.ending & 32 THEN l.addr
		ELSE (SELECT value FROM meta WHERE key = 'linear_base') + (l.addr << 3) END AS addr,
	l.time_ns, l.place >> 2 AS cpu, l.task, l.place & 3 AS context, l.lifetime_ns, l.free_origin,
	(l.place + l.free_place) >> 2 AS free_cpu, l.task + l.free_task AS free_task,
	(l.place + l.free_place) & 3 AS free_context, l.ending & 7 AS state, l.ending >> 3 & 3 AS backing,
	l.parts & 0xffffff AS pieces, nullif(l.parts >> 24, 0) AS pages_freed, l.ending >> 6 AS moves
FROM lifetime l;

CREATE {temp}VIEW allocations AS
SELECT a.id, e.name AS event, e.kind, printf('0x%x', a.addr) AS addr, o.bytes_req, o.bytes_alloc,
	CASE e.kind WHEN 'percpu' THEN NULL ELSE o.bytes_alloc - o.bytes_req END AS waste, c.name AS cache, o.page_order, m.name AS migratetype,
	g.names AS gfp, o.node, a.time_ns / 1e9 AS time_s, a.time_ns, a.cpu, t.tid, t.tgid, t.comm,
	x.name AS context, fc.function AS caller, fc.module, fs.name AS call_site, o.stack,
	(a.time_ns + a.lifetime_ns) / 1e9 AS free_time_s, a.lifetime_ns / 1e9 AS lifetime_s, a.lifetime_ns,
	a.free_cpu, ft.tid AS free_tid, ft.comm AS free_comm, fx.name AS free_context,
	ffc.function AS free_caller, ffs.name AS free_call_site, fo.stack AS free_stack,
	st.name AS state, b.name AS backing, a.pieces,
	o.bytes_alloc - coalesce(a.pages_freed, 0) * (SELECT value FROM meta WHERE key = 'page_size')
		AS bytes_left,
	a.state AS state_id, a.backing AS backing_id, a.origin, o.user_stack, CASE e.kind WHEN 'page' THEN a.moves END AS moves
FROM alloc a
JOIN origin o ON o.id = a.origin
JOIN event e ON e.id = o.event
JOIN task t ON t.id = a.task
JOIN context x ON x.id = a.context
JOIN state st ON st.id = a.state
JOIN backing b ON b.id = a.backing
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN migratetype m ON m.id = o.migratetype
LEFT JOIN gfp g ON g.value = o.gfp
LEFT JOIN frame fc ON fc.id = o.caller
LEFT JOIN frame fs ON fs.id = o.call_site
LEFT JOIN task ft ON ft.id = a.free_task
LEFT JOIN context fx ON fx.id = a.free_context
LEFT JOIN origin fo ON fo.id = a.free_origin
LEFT JOIN frame ffc ON ffc.id = fo.caller
LEFT JOIN frame ffs ON ffs.id = fo.call_site;

CREATE {temp}VIEW live AS SELECT * FROM allocations
WHERE id >= (SELECT value FROM meta WHERE key = 'first_left') AND state_id = 0;

-- From the totals by origin, so it costs the same for a trace of any length.
CREATE {temp}VIEW call_sites AS
SELECT e.kind, f.function AS caller, f.module, sum(t.count) AS allocs,
	sum(t.count * o.bytes_alloc) AS bytes_total,
	sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) AS live_count,
	sum(CASE t.state WHEN 0 THEN t.count * o.bytes_alloc - t.pages_freed *
		(SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) AS live_bytes,
	sum(CASE t.state WHEN 2 THEN t.count ELSE 0 END) AS free_unseen_count,
	sum(CASE e.kind WHEN 'percpu' THEN 0 ELSE t.count * (o.bytes_alloc - o.bytes_req) END) AS waste_total,
	sum(CASE t.state WHEN 3 THEN t.count ELSE 0 END) AS freed_rcu_count,
	sum(CASE t.state WHEN 4 THEN t.count ELSE 0 END) AS freeing_count,
	sum(CASE t.state WHEN 4 THEN t.count * o.bytes_alloc ELSE 0 END) AS freeing_bytes
FROM alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
WHERE t.backing = 0
GROUP BY e.kind, f.function, f.module;

-- Kinds are separate accounts, and are never added up.
CREATE {temp}VIEW kinds AS
SELECT kind, sum(allocs) AS allocs, sum(bytes_total) AS bytes_total, sum(live_count) AS live_count,
	sum(live_bytes) AS live_bytes, sum(freeing_count) AS freeing_count, sum(freeing_bytes) AS freeing_bytes
FROM call_sites GROUP BY kind;

-- ---- lifetimes and times: the commands lifetimes, churn, peak and timeline give the same faster ----

-- A percentile of too few values is NULL, as of quickselect_percentile().
CREATE {temp}VIEW lifetimes AS
WITH freed AS (
	SELECT e.kind, f.function AS caller, f.module, a.lifetime_ns, o.bytes_alloc,
		row_number() OVER (PARTITION BY e.kind, f.function, f.module ORDER BY a.lifetime_ns) AS rank,
		count(*) OVER (PARTITION BY e.kind, f.function, f.module) AS count
	FROM alloc a
	JOIN origin o ON o.id = a.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	WHERE a.state IN (1, 3) AND a.backing = 0)
SELECT kind, caller, module, count(*) AS freed, sum(bytes_alloc) AS freed_bytes,
	max(lifetime_ns) FILTER (WHERE rank = (50 * count + 99) / 100 AND count >= 2) AS p50_ns,
	max(lifetime_ns) FILTER (WHERE rank = (95 * count + 99) / 100 AND count >= 20) AS p95_ns,
	max(lifetime_ns) FILTER (WHERE rank = (99 * count + 99) / 100 AND count >= 100) AS p99_ns,
	max(lifetime_ns) AS max_ns
FROM freed GROUP BY kind, caller, module;

CREATE {temp}VIEW free_pairs AS
SELECT e.kind, f.function AS caller, f.module, ff.function AS free_caller, ff.module AS free_module,
	count(*) AS count, sum(o.bytes_alloc) AS bytes, sum(a.cpu <> a.free_cpu) AS other_cpu,
	sum(t.tid <> ft.tid) AS other_task,
	sum((SELECT node FROM cpu WHERE id = a.cpu) <> (SELECT node FROM cpu WHERE id = a.free_cpu)) AS other_node
FROM alloc a
JOIN origin o ON o.id = a.origin
JOIN event e ON e.id = o.event
JOIN task t ON t.id = a.task
JOIN task ft ON ft.id = a.free_task
JOIN origin fo ON fo.id = a.free_origin
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN frame ff ON ff.id = fo.caller
WHERE a.backing = 0
GROUP BY e.kind, f.function, f.module, ff.function, ff.module;

CREATE {temp}VIEW temporaries AS
SELECT e.kind, f.function AS caller, f.module, t.within, sum(t.count) AS count
FROM temporary_count t
JOIN event e ON e.id = t.event
LEFT JOIN frame f ON f.id = t.caller
GROUP BY e.kind, f.function, f.module, t.within;

-- Each change of live memory with its time and the new value. Memory being freed is live until the end.
CREATE {temp}VIEW live_over_time AS
WITH span AS (
	SELECT e.kind, o.bytes_alloc AS bytes, a.time_ns, a.state, coalesce(a.pages_freed, 0) *
			(SELECT value FROM meta WHERE key = 'page_size') AS bytes_freed,
		CASE WHEN a.lifetime_ns IS NOT NULL THEN a.time_ns + a.lifetime_ns
			ELSE (SELECT value FROM meta WHERE key = 'span_ns') END AS end_ns
	FROM alloc a JOIN origin o ON o.id = a.origin JOIN event e ON e.id = o.event
	WHERE a.backing = 0
), change AS (
	SELECT kind, time_ns, bytes, 1 AS count FROM span
	UNION ALL
	SELECT kind, end_ns, CASE state WHEN 0 THEN -bytes_freed ELSE -bytes END, CASE state WHEN 0 THEN 0 ELSE -1 END
	FROM span)
SELECT kind, time_ns, sum(sum(bytes)) OVER by_time AS live_bytes, sum(sum(count)) OVER by_time AS live_count
FROM change GROUP BY kind, time_ns WINDOW by_time AS (PARTITION BY kind ORDER BY time_ns);

CREATE {temp}VIEW marks AS
SELECT m.id, m.time_ns, m.time_ns / 1e9 AS time_s, m.cpu, t.tid, t.comm, m.text
FROM mark m JOIN task t ON t.id = m.task;

-- ---- pages between the free lists ----

CREATE {temp}VIEW fragmentation AS
SELECT o.page_order AS alloc_order, p.fallback_order, m.name AS alloc_migratetype,
	coalesce(n.name, p.fallback_migratetype) AS fallback_migratetype, f.function AS caller, f.module,
	s.name AS call_site, o.stack, p.count
FROM page_move p
JOIN origin o ON o.id = p.origin
LEFT JOIN migratetype m ON m.id = o.migratetype
LEFT JOIN migratetype n ON n.id = p.fallback_migratetype
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN frame s ON s.id = o.call_site
WHERE p.fallback_order IS NOT NULL;

CREATE {temp}VIEW page_moves AS
SELECT e.name AS event, o.page_order, m.name AS migratetype, p.refill, sum(p.count) AS count,
	sum(p.count << o.page_order) AS pages
FROM page_move p
JOIN origin o ON o.id = p.origin
JOIN event e ON e.id = o.event
LEFT JOIN migratetype m ON m.id = o.migratetype
GROUP BY o.event, o.page_order, o.migratetype, p.refill;

-- ---- contents of slabs and blocks of pages at the end ----

-- merged_with: the other names of caches whose objects the allocator puts into the slabs of this one.
CREATE {temp}VIEW caches AS
SELECT c.name AS cache, max(c.object_size) AS object_size, (SELECT group_concat(name, ', ') FROM (
		SELECT DISTINCT other.name
		FROM cache_alias own JOIN cache_alias other ON other.slabs = own.slabs AND other.name <> own.name
		WHERE own.name = c.name ORDER BY other.name)) AS merged_with
FROM cache c WHERE c.name IS NOT NULL GROUP BY c.name;

-- The pages of slabs; none if the trace cannot show their contents, since a sample selects objects and slabs separately.
CREATE {temp}VIEW slab_blocks AS
SELECT a.id, a.origin, a.addr AS pfn, o.page_order, a.time_ns
FROM alloc a JOIN origin o ON o.id = a.origin
WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND a.backing = 1 AND
	(SELECT factor FROM scale) = 1 AND (SELECT value FROM meta WHERE key = 'linear_base') <> 0 AND
	NOT EXISTS (SELECT 1 FROM event_group WHERE name = 'slab' AND NOT traced);

-- Objects in these slabs. A slab is aligned to its size.
CREATE {temp}VIEW slab_objects AS
WITH slab AS (SELECT id, pfn, page_order FROM slab_blocks),
orders AS (SELECT DISTINCT page_order FROM slab),
object AS (
	SELECT a.id, a.origin, a.time_ns, a.state, (a.addr - b.value) / p.value AS pfn
	FROM meta b, meta p, alloc a JOIN origin o ON o.id = a.origin
	WHERE b.key = 'linear_base' AND p.key = 'page_size' AND
		o.event IN (SELECT id FROM event WHERE kind = 'slab') AND
		a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.addr >= b.value)
SELECT object.id, object.origin, object.time_ns, object.state AS state_id, slab.id AS slab
FROM object CROSS JOIN orders
CROSS JOIN slab ON slab.pfn = object.pfn >> orders.page_order << orders.page_order AND
	slab.page_order = orders.page_order;

CREATE {temp}VIEW slabs AS
WITH held AS (
	SELECT s.slab, count(*) AS objects, sum(o.bytes_alloc) AS object_bytes, max(o.cache) AS cache,
		max(o.bytes_alloc) AS object_size
	FROM slab_objects s JOIN origin o ON o.id = s.origin GROUP BY s.slab),
size AS (
	SELECT name, max(object_size) AS object_size, max(objs_per_slab) AS objects, max(pages_per_slab) AS pages
	FROM slabinfo WHERE objs_per_slab > 0 AND object_size > 0 GROUP BY name),
slab AS (
	SELECT b.id, b.pfn, b.page_order, o.bytes_alloc AS bytes, b.time_ns,
		CASE WHEN o.migratetype = 2 THEN 'SReclaimable' WHEN o.migratetype IS NOT NULL THEN 'SUnreclaim' END AS account,
		coalesce(h.objects, 0) AS objects, coalesce(h.object_bytes, 0) AS object_bytes, c.name AS cache,
		max(h.objects, CASE 1 << b.page_order WHEN i.pages THEN i.objects
			ELSE o.bytes_alloc / coalesce(i.object_size, h.object_size) END) AS of_objects
	FROM slab_blocks b JOIN origin o ON o.id = b.origin
	LEFT JOIN held h ON h.slab = b.id
	LEFT JOIN cache c ON c.id = h.cache
	LEFT JOIN size i ON i.name = c.slabinfo)
SELECT *, CASE objects WHEN 0 THEN 0.0 ELSE 100.0 * objects / of_objects END AS live_pct FROM slab;

-- The occupancy of each slab over its life: frag slab computes the same by cache and call site, and faster.
CREATE {temp}VIEW slab_lives AS
WITH span AS (SELECT value AS ns FROM meta WHERE key = 'span_ns'),
slab AS (
	SELECT a.id, a.addr AS pfn, o.page_order, o.bytes_alloc AS bytes, a.time_ns,
		coalesce(a.lifetime_ns, span.ns - a.time_ns) AS life_ns,
		CASE WHEN o.migratetype = 2 THEN 'SReclaimable' WHEN o.migratetype IS NOT NULL THEN 'SUnreclaim' END AS account
	FROM span, alloc a JOIN origin o ON o.id = a.origin
	WHERE a.backing = 1 AND (SELECT factor FROM scale) = 1 AND (SELECT value FROM meta WHERE key = 'linear_base') <> 0 AND
		NOT EXISTS (SELECT 1 FROM event_group WHERE name = 'slab' AND NOT traced)),
orders AS (SELECT DISTINCT page_order FROM slab),
object AS (
	SELECT o.cache, o.bytes_alloc AS bytes, a.time_ns, coalesce(a.time_ns + a.lifetime_ns, span.ns) AS end_ns,
		(a.addr - b.value) / p.value AS pfn
	FROM span, meta b, meta p, alloc a JOIN origin o ON o.id = a.origin
	WHERE b.key = 'linear_base' AND p.key = 'page_size' AND a.backing = 0 AND a.addr >= b.value AND
		o.event IN (SELECT id FROM event WHERE kind = 'slab')),
life AS (
	SELECT *, row_number() OVER (PARTITION BY page_order, pfn ORDER BY time_ns) AS number FROM slab),
-- Objects, with the number of the last slab that began there before them. A search by time would be quadratic.
placed AS (
	SELECT *, count(slab) OVER (PARTITION BY page_order, pfn ORDER BY time_ns, slab IS NULL) AS number
	FROM (
		SELECT page_order, pfn, id AS slab, NULL AS cache, NULL AS bytes, time_ns, NULL AS end_ns FROM slab
		UNION ALL
		SELECT page_order, pfn >> page_order << page_order, NULL, cache, bytes, time_ns, end_ns FROM object CROSS JOIN orders)),
held AS (
	SELECT l.id, count(*) AS objects, max(p.cache) AS cache, max(p.bytes) AS object_size,
		sum(min(p.end_ns, l.time_ns + l.life_ns) - p.time_ns) AS object_ns
	FROM placed p CROSS JOIN life l ON l.page_order = p.page_order AND l.pfn = p.pfn AND l.number = p.number
	WHERE p.slab IS NULL AND p.time_ns <= l.time_ns + l.life_ns
	GROUP BY l.id),
size AS (
	SELECT name, max(object_size) AS object_size, max(objs_per_slab) AS objects, max(pages_per_slab) AS pages
	FROM slabinfo WHERE objs_per_slab > 0 AND object_size > 0 GROUP BY name)
SELECT s.id, s.pfn, s.page_order, s.bytes, s.time_ns, s.life_ns, c.name AS cache, s.account, coalesce(h.objects, 0) AS objects,
	CASE 1 << s.page_order WHEN i.pages THEN i.objects ELSE s.bytes / coalesce(i.object_size, h.object_size) END AS of_objects,
	coalesce(h.object_ns, 0) AS object_ns,
	coalesce(100.0 * h.object_ns / (s.life_ns * CASE 1 << s.page_order WHEN i.pages THEN i.objects
		ELSE s.bytes / coalesce(i.object_size, h.object_size) END), 0.0) AS live_pct
FROM slab s
LEFT JOIN held h ON h.id = s.id
LEFT JOIN cache c ON c.id = h.cache
LEFT JOIN size i ON i.name = c.slabinfo;

-- A block larger than a pageblock has a row for each of them; its freed pages are assumed to be spread evenly. Behind 2^19 such rows,
-- as of 1 TiB, a block has one.
CREATE {temp}VIEW live_pages AS
WITH RECURSIVE unit (pages) AS (SELECT value / 8 FROM meta WHERE key = 'page_size'),
block AS (
	SELECT a.id, a.origin, a.time_ns, a.addr AS pfn, o.page_order, a.backing AS backing_id,
		CASE WHEN o.migratetype = 1 THEN 'movable' WHEN o.migratetype = 2 THEN 'reclaimable'
			WHEN o.migratetype IS NOT NULL THEN 'unmovable' END AS mobility,
		(1 << o.page_order) - coalesce(a.pages_freed, 0) AS pages,
		max(1, min(4096, (1 << o.page_order) / unit.pages)) AS parts
	FROM unit, alloc a JOIN origin o ON o.id = a.origin JOIN event e ON e.id = o.event
	WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND e.name = 'page_alloc'),
large AS (
	SELECT id, origin, time_ns, pfn, page_order, pages, backing_id, mobility,
		iif(sum(parts) OVER (ORDER BY id) <= 1 << 19, parts, 1) AS parts
	FROM block WHERE parts > 1),
part (id, origin, time_ns, pfn, page_order, pages, backing_id, mobility, parts, n) AS (
	SELECT *, 0 FROM large
	UNION ALL
	SELECT id, origin, time_ns, pfn, page_order, pages, backing_id, mobility, parts, n + 1 FROM part WHERE n + 1 < parts)
SELECT id, origin, time_ns, pfn, page_order, block.pages, backing_id, mobility,
	pfn / unit.pages AS pageblock
FROM block, unit WHERE parts = 1
UNION ALL
SELECT id, origin, time_ns, pfn + n * unit.pages, page_order,
	part.pages * (n + 1) / parts - part.pages * n / parts, backing_id, mobility,
	pfn / unit.pages + n
FROM part, unit;

CREATE {temp}VIEW pageblocks AS
SELECT pageblock, pageblock * (SELECT value / 8 FROM meta WHERE key = 'page_size') AS pfn,
	sum(CASE mobility WHEN 'movable' THEN pages ELSE 0 END) AS movable_pages,
	sum(CASE mobility WHEN 'unmovable' THEN pages ELSE 0 END) AS unmovable_pages,
	sum(CASE mobility WHEN 'reclaimable' THEN pages ELSE 0 END) AS reclaimable_pages
FROM live_pages GROUP BY pageblock;

-- ---- what would not exist without the tracer ----

-- Call sites that allocated only for the tracer.
CREATE {temp}VIEW tracer_sites AS
SELECT f.function AS caller, f.module
FROM (SELECT DISTINCT f.function FROM tracer_origin t JOIN origin o ON o.id = t.origin JOIN frame f ON f.id = o.caller) n
CROSS JOIN frame f ON f.function = n.function
CROSS JOIN origin o ON o.caller = f.id
JOIN event e ON e.id = o.event
WHERE e.kind IS NOT NULL AND e.name NOT LIKE '%free%'
GROUP BY f.function, f.module HAVING min(o.id IN (SELECT origin FROM tracer_origin));

-- For each task the first one of its thread, which is of the same number and name, and of its process: of a name of the main thread, which
-- changes as the process executes something; the last one for all other threads.
CREATE {temp}VIEW task_groups AS
WITH main (tgid, id) AS (SELECT tgid, max(id) FROM task WHERE tid = tgid AND is_last GROUP BY tgid),
named AS (
	SELECT t.id, t.tid, t.comm, coalesce(t.tgid, -t.tid) AS tgid, t.tid = t.tgid AS is_main,
		iif(t.tid = t.tgid OR m.id IS NULL, t.comm, p.comm) AS process
	FROM task t LEFT JOIN main m ON m.tgid = t.tgid LEFT JOIN task p ON p.id = m.id)
SELECT id, min(id) OVER (PARTITION BY tid, comm) AS thread,
	first_value(id) OVER (PARTITION BY tgid, process ORDER BY is_main DESC, id) AS process
FROM named;

CREATE {temp}VIEW recorder_tasks AS
SELECT id, tid, tgid, comm FROM task WHERE tgid IN (SELECT tgid FROM recorder);

-- ---- completeness ----

-- A path that this kernel lacks is off, not unseen, if its events were not selected. A path of two groups belongs to the first selected one.
CREATE {temp}VIEW paths AS
WITH known (pattern, event_group, nr) AS (VALUES {path_groups}),
grouped AS (
	SELECT p.name, p.state, p.why, k.event_group, coalesce(g.traced, 1) AS traced,
		row_number() OVER (PARTITION BY p.name ORDER BY coalesce(g.traced, 1) DESC, k.nr) AS nr
	FROM path p LEFT JOIN known k ON p.name GLOB k.pattern LEFT JOIN event_group g ON g.name = k.event_group)
SELECT name, iif(state = 'unseen' AND NOT traced, 'off', state) AS state, why, event_group FROM grouped WHERE nr = 1;

CREATE {temp}VIEW filters AS
SELECT name, value, value NOT IN ('', '0') AND NOT (name = 'sample' AND value = '1') AS in_force FROM filter;

-- The sampling factor of a trace.
CREATE {temp}VIEW scale AS SELECT value AS factor FROM meta WHERE key = 'sample';

CREATE {temp}VIEW losses AS
SELECT cpu, reason, count, CASE reason WHEN 'missing' THEN 'sub-buffers'
	WHEN 'stack_full' THEN 'details' WHEN 'cache_full' THEN 'details'
	WHEN 'name' THEN 'names' ELSE 'records' END AS unit
FROM loss;

CREATE {temp}VIEW unmatched_frees AS
SELECT u.class, e.name AS event, f.function AS caller, f.module, b.name AS backing,
	sum(u.count) AS count, sum(u.bytes) AS bytes
FROM unmatched u
JOIN origin o ON o.id = u.origin
JOIN event e ON e.id = o.event
JOIN backing b ON b.id = u.backing
LEFT JOIN frame f ON f.id = o.caller
GROUP BY u.class, e.name, f.function, f.module, b.name;

CREATE {temp}VIEW failed_allocations AS
SELECT e.name AS event, f.function AS caller, f.module, o.page_order, sum(x.count) AS count,
	min(x.first_ns) AS first_ns, max(x.last_ns) AS last_ns, g.names AS gfp, o.stack, t.tid, t.tgid, t.comm
FROM failed x
JOIN origin o ON o.id = x.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN gfp g ON g.value = o.gfp
LEFT JOIN task t ON t.id = x.task
GROUP BY e.name, f.function, f.module, o.page_order, g.names, o.stack, t.tid, t.tgid, t.comm;

CREATE {temp}VIEW events AS
SELECT e.name AS event, coalesce(sum(c.count), 0) AS count
FROM event e LEFT JOIN event_count c ON c.event = e.id GROUP BY e.id;
