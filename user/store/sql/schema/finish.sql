-- SPDX-License-Identifier: GPL-2.0-or-later
-- Runs after the last row: fills the tables that are derived from the rows.

-- Kernels use some hundred masks; those above 4096 stay numbers.
INSERT INTO gfp
SELECT o.gfp, fold_gfp(coalesce((SELECT group_concat(f.name, '|') FROM (SELECT * FROM gfp_flag ORDER BY bits) f
			WHERE o.gfp & f.bits = f.bits AND o.number <= 4096), printf('0x%x', o.gfp)))
FROM (SELECT gfp, row_number() OVER (ORDER BY gfp) AS number FROM (SELECT DISTINCT gfp FROM origin WHERE gfp IS NOT NULL)) o;

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

-- Kernel-owned memory: the bits of keeper are those of keepers.h. vm_map_ram() takes an object for each block, but none for an area that it
-- does not divide. All blocks have one size, a power of two from 128 to 1024 pages: the size of which each caller has as many live areas as
-- objects; or if the trace lacks objects, the only such size, with no more areas than CPUs, of which each keeps a block.
INSERT INTO kernel_origin
WITH kept (origin, kind, bytes, caller, keeps) AS MATERIALIZED (
	SELECT o.id, e.kind, o.bytes_alloc, coalesce(o.caller, 0), k.keeps
	FROM keeper k JOIN origin o ON o.id = k.origin JOIN event e ON e.id = o.event),
object (caller, count) AS (
	SELECT caller, sum(t.count) FROM kept k JOIN alloc_total t ON t.origin = k.origin
	WHERE keeps & 31 = 16 AND kind = 'slab' AND t.state = 0 GROUP BY 1),
area (caller, bytes, count) AS (
	SELECT caller, bytes, sum(t.count) FROM kept k JOIN alloc_total t ON t.origin = k.origin
	WHERE keeps & 16 AND kind = 'vmalloc' AND t.state = 0
		AND bytes IN (SELECT value * pages.column1 FROM meta, (VALUES (128), (256), (512), (1024)) pages WHERE key = 'page_size')
	GROUP BY 1, 2),
block (bytes) AS (
	SELECT bytes FROM area a LEFT JOIN object o ON o.caller = a.caller GROUP BY bytes
	HAVING (((SELECT count(*) FROM filters WHERE in_force AND name IN ('cache', 'sample', 'size')) > 0
			OR 'slab' IN (SELECT kind FROM untraced_kinds))
			AND sum(a.count) * (SELECT factor FROM scale) <= (SELECT count(*) FROM cpu))
		OR (min(a.count = coalesce(o.count, 0)) AND
			sum(a.count) = (SELECT sum(count) FROM object WHERE caller IN (SELECT caller FROM area))))
SELECT origin, keeps & 8 <> 0 FROM kept
WHERE keeps & 1 OR (keeps & 2 AND kind <> 'percpu') OR (keeps & 28 AND kind = 'slab') OR (keeps & 32 AND kind = 'page') OR
	(keeps & 16 AND kind = 'vmalloc' AND bytes = (SELECT bytes FROM block GROUP BY NULL HAVING count(*) = 1));

-- Earlier recorders did not record their process ids: take the processes that were kmemtrace-user all the time. A command that the
-- recorder starts soon becomes another program.
INSERT OR IGNORE INTO recorder
SELECT tgid FROM task WHERE tid = tgid AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'host.recorder') GROUP BY tgid
HAVING min(comm) = 'kmemtrace-user' AND max(comm) = 'kmemtrace-user';

COMMIT;
