-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs after the last row: fills the tables that are derived from the rows.

INSERT INTO gfp
SELECT o.gfp, fold_gfp(coalesce((SELECT group_concat(f.name, '|') FROM (SELECT * FROM gfp_flag ORDER BY bits) f
			WHERE o.gfp & f.bits = f.bits), printf('0x%x', o.gfp)))
FROM (SELECT DISTINCT gfp FROM origin WHERE gfp IS NOT NULL) o;

-- The tracer's own allocations: a function of the tracer is on the stack. These are the functions of its module, or kmt_… if it
-- is built in, and the function that opens the buffers of a CPU that comes online: other users of relay rarely have open
-- buffers.
INSERT INTO tracer_origin
WITH RECURSIVE own (id) AS (
	SELECT id FROM frame WHERE module = 'kmemtrace' OR (module IS NULL AND (function GLOB 'kmt_*' OR function = 'relay_prepare_cpu'))),
node (id) AS (
	SELECT id FROM stack WHERE frame IN (SELECT id FROM own)
	UNION SELECT s.id FROM node JOIN stack s ON s.parent = node.id)
SELECT id FROM origin
WHERE stack IN (SELECT id FROM node) OR caller IN (SELECT id FROM own) OR call_site IN (SELECT id FROM own);

-- Kernel-owned memory, which the kernel keeps for later callers and frees by itself: the vector of a slab's objects and their cgroups, with
-- the slab; sheaves; arrays of kvfree_rcu(); chunks of per-CPU memory; page tables of vmalloc space; blocks of it that vm_map_ram() divides;
-- and objects for areas of it, some time after the areas. Not by cache: other caches may be merged with vmap_area.
-- vm_map_ram() takes an object for each block, but none for an area that it does not divide. All blocks have one size, a power of two from
-- 128 to 1024 pages: the size of which each caller has as many live areas as objects, or if the trace lacks objects, the only such size.
-- of_area: an object for an area.
INSERT INTO kernel_origin
WITH RECURSIVE keeper (frame, keeps) AS (
	SELECT f.id, k.keeps FROM frame f JOIN (SELECT 'alloc_slab_obj_exts*' AS pattern, 'all' AS keeps UNION ALL VALUES
		('memcg_alloc_slab_cgroups*', 'all'), ('k*free_call_rcu*', 'all'), ('__kfree_rcu_sheaf*', 'all'), ('pcpu_*', 'chunks'),
		('vm_map_ram*', 'blocks'), ('alloc_vmap_area*', 'areas'), ('__pcs_replace_*', 'objects'), ('__pte_alloc_kernel*', 'pages'),
		('__vmap_pages_range*', 'pages'), ('vmap_*_range_noflush*', 'pages'), ('vmap_range*', 'pages')) k
	ON f.function GLOB k.pattern WHERE f.module IS NULL),
below (node, keeps) AS (
	SELECT s.id, k.keeps FROM stack s JOIN keeper k ON k.frame = s.frame
	UNION SELECT s.id, b.keeps FROM below b JOIN stack s ON s.parent = b.node),
kept (origin, kind, bytes, caller, keeps) AS MATERIALIZED (
	SELECT o.id, e.kind, o.bytes_alloc, coalesce(o.caller, 0), b.keeps
	FROM below b JOIN origin o ON o.stack = b.node JOIN event e ON e.id = o.event),
object (caller, count) AS (
	SELECT caller, sum(t.count) FROM kept k JOIN alloc_total t ON t.origin = k.origin
	WHERE keeps = 'blocks' AND kind = 'slab' AND t.state = 0 AND k.origin NOT IN (SELECT origin FROM kept WHERE keeps IN ('areas', 'objects')) GROUP BY 1),
area (caller, bytes, count) AS (
	SELECT caller, bytes, sum(t.count) FROM kept k JOIN alloc_total t ON t.origin = k.origin
	WHERE keeps = 'blocks' AND kind = 'vmalloc' AND t.state = 0
		AND bytes IN (SELECT value * pages.column1 FROM meta, (VALUES (128), (256), (512), (1024)) pages WHERE key = 'page_size')
	GROUP BY 1, 2),
block (bytes) AS (
	SELECT bytes FROM area a LEFT JOIN object o ON o.caller = a.caller GROUP BY bytes
	HAVING (SELECT count(*) FROM filters WHERE in_force AND name IN ('cache', 'sample', 'size')) > 0
		OR 'slab' IN (SELECT kind FROM untraced_kinds)
		OR (min(a.count = coalesce(o.count, 0)) AND
			sum(a.count) = (SELECT sum(count) FROM object WHERE caller IN (SELECT caller FROM area))))
SELECT origin, max(keeps = 'areas') FROM kept
WHERE keeps = 'all' OR (keeps = 'pages' AND kind = 'page') OR (keeps <> 'pages' AND kind = 'slab') OR (keeps = 'chunks' AND kind <> 'percpu') OR
	(keeps = 'blocks' AND kind = 'vmalloc' AND bytes = (SELECT bytes FROM block GROUP BY NULL HAVING count(*) = 1))
GROUP BY origin;

-- Earlier recorders did not record their process ids: take the processes that were kmemtrace-user all the time. A command that the
-- recorder starts soon becomes another program.
INSERT OR IGNORE INTO recorder
SELECT tgid FROM task WHERE tid = tgid AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'host.recorder') GROUP BY tgid
HAVING min(comm) = 'kmemtrace-user' AND max(comm) = 'kmemtrace-user';

COMMIT;
