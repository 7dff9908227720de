-- SPDX-License-Identifier: GPL-2.0-or-later
-- Changes of the kernel's own accounts, and the part in the trace: pages allocated and live at
-- the end, minus freed ones from before the trace. The account of a page follows from its backing or a
-- function on its stack. Accounts overlap (a kernel stack lies in vmalloc space), so never add them up.
WITH RECURSIVE
page (bytes) AS (SELECT value FROM meta WHERE key = 'page_size'),
reclaimable (bits) AS (SELECT bits FROM gfp_flag WHERE name = '__GFP_RECLAIMABLE'),
version (number) AS (SELECT CAST(value AS INTEGER) * 1000 + CAST(substr(value, instr(value, '.') + 1) AS INTEGER)
	FROM meta WHERE key = 'host.release'),
-- side: 1 allocated, -1 freed. Only pages that this function itself requested are pages of a kernel
-- stack: dup_task_struct() is inlined into copy_process(), which calls many other functions.
callers (account, function, side) AS (VALUES
	('KernelStack', 'copy_process', 1), ('KernelStack', 'dup_task_struct', 1),
	('KernelStack', 'alloc_thread_stack_node', 1),
	('KernelStack', 'thread_stack_free_rcu', -1), ('KernelStack', 'free_thread_stack', -1),
	('KernelStack', 'free_vm_stack_cache', -1), ('KernelStack', 'put_task_stack', -1)),
-- For other accounts the function may be anywhere on the stack. NULL: not for a page allocated below this function.
marks (account, function, side) AS (VALUES
	('PageTables', 'pte_alloc_one', 1), ('PageTables', '__pmd_alloc', 1),
	('PageTables', 'tlb_remove_table_rcu', -1), ('PageTables', '__tlb_remove_table', -1),
	('PageTables', 'pte_free', -1),
	('VmallocUsed', '__vmalloc_node_range', 1), ('VmallocUsed', '__vmalloc_area_node', 1),
	('VmallocUsed', 'vfree', -1), ('VmallocUsed', '__vfree', -1), ('VmallocUsed', '__vunmap', -1),
	('VmallocUsed', 'delayed_vfree_work', -1),
	('VmallocUsed', '__pte_alloc_kernel', NULL), ('VmallocUsed', '__pmd_alloc', NULL),
	('VmallocUsed', '__pud_alloc', NULL)
	-- Linux 6.7 began to count these, and 6.14 those of the upper levels.
	UNION ALL SELECT 'PageTables', '__pud_alloc', 1 FROM version WHERE number >= 6007
	UNION ALL SELECT 'PageTables', column1, column2 FROM version,
		(VALUES ('__p4d_alloc', 1), ('pgd_alloc', 1), ('pgd_free', -1)) WHERE number >= 6014),
named (frame, function) AS (
	SELECT id, replace(CASE instr(function, '.')
		WHEN 0 THEN function ELSE substr(function, 1, instr(function, '.') - 1) END, '_noprof', '') FROM frame),
marked (frame, account, side) AS (SELECT n.frame, m.account, m.side FROM named n JOIN marks m ON m.function = n.function),
called (frame, account, side) AS (SELECT n.frame, c.account, c.side FROM named n JOIN callers c ON c.function = n.function),
-- Bytes of page events without a counterpart in the trace, by origin.
held (origin, side, backing, bytes) AS (
	SELECT t.origin, 1, t.backing, t.count * o.bytes_alloc - t.pages_freed * (SELECT bytes FROM page)
	FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
	WHERE e.name = 'page_alloc' AND t.state = 0
	UNION ALL
	SELECT u.origin, -1, u.backing, u.bytes FROM unmatched u JOIN origin o ON o.id = u.origin
	JOIN event e ON e.id = o.event WHERE e.name = 'page_free' AND u.class = 'before'),
walk (stack, node) AS (
	SELECT DISTINCT o.stack, o.stack FROM held h JOIN origin o ON o.id = h.origin WHERE o.stack IS NOT NULL
	UNION ALL
	SELECT w.stack, s.parent FROM walk w JOIN stack s ON s.id = w.node WHERE s.parent IS NOT NULL),
shown (stack, account, side) AS (
	SELECT w.stack, m.account, max(m.side) FROM walk w JOIN stack s ON s.id = w.node
	JOIN marked m ON m.frame = s.frame GROUP BY w.stack, m.account HAVING count(*) = count(m.side)),
-- account, source in the kernel, change
kernel (number, account, source, bytes) AS (
	SELECT a.number, a.account, 'meminfo', (SELECT 1024 * (e.kb - s.kb) FROM meminfo s JOIN meminfo e ON e.key = s.key
		WHERE s.key = a.account AND s.phase = 'start' AND e.phase = 'end')
	FROM (SELECT 1 AS number, 'Slab' AS account UNION ALL SELECT 2, 'SReclaimable' UNION ALL SELECT 3, 'SUnreclaim'
		UNION ALL SELECT 4, 'KernelStack' UNION ALL SELECT 5, 'PageTables' UNION ALL SELECT 6, 'Percpu'
		UNION ALL SELECT 7, 'VmallocUsed') a
	UNION ALL
	SELECT 8, 'objects', 'slabinfo', CASE count(DISTINCT phase) WHEN 2 THEN
		sum(CASE phase WHEN 'end' THEN active_objs ELSE -active_objs END * object_size) END FROM slabinfo
	UNION ALL
	SELECT 9, 'free pages', 'buddyinfo', CASE count(DISTINCT phase) WHEN 2 THEN
		sum(CASE phase WHEN 'end' THEN blocks ELSE -blocks END * (SELECT bytes FROM page) * (1 << page_order)) END
	FROM buddyinfo),
object_size (name, bytes) AS (SELECT name, max(object_size) FROM slabinfo GROUP BY name),
-- Whether a slab from before the trace was reclaimable is unknown: NULL.
parts (account, taken, given) AS (
	SELECT 'Slab', CASE side WHEN 1 THEN bytes ELSE 0 END, CASE side WHEN 1 THEN 0 ELSE bytes END
	FROM held WHERE backing IN (1, 2)
	UNION ALL
	SELECT CASE WHEN coalesce(o.gfp & (SELECT bits FROM reclaimable), 0) THEN 'SReclaimable' ELSE 'SUnreclaim' END, h.bytes, 0
	FROM held h JOIN origin o ON o.id = h.origin WHERE h.side = 1 AND h.backing IN (1, 2)
	UNION ALL
	SELECT 'Percpu', CASE side WHEN 1 THEN bytes ELSE 0 END, CASE side WHEN 1 THEN 0 ELSE bytes END
	FROM held WHERE backing = 3
	UNION ALL
	SELECT x.account, CASE h.side WHEN 1 THEN h.bytes ELSE 0 END, CASE h.side WHEN 1 THEN 0 ELSE h.bytes END
	FROM held h JOIN origin o ON o.id = h.origin JOIN shown x ON x.stack = o.stack AND x.side = h.side
	WHERE h.backing = 0
	UNION ALL
	SELECT x.account, CASE h.side WHEN 1 THEN h.bytes ELSE 0 END, CASE h.side WHEN 1 THEN 0 ELSE h.bytes END
	FROM held h JOIN origin o ON o.id = h.origin JOIN called x ON x.frame = o.caller AND x.side = h.side
	WHERE h.backing = 0
	UNION ALL
	SELECT 'objects', t.count * coalesce(z.bytes, o.bytes_alloc), 0 FROM alloc_total t JOIN origin o ON o.id = t.origin
	JOIN cache c ON c.id = o.cache LEFT JOIN object_size z ON z.name = c.slabinfo WHERE t.state IN (0, 4)
	UNION ALL
	SELECT 'objects', 0, u.count * coalesce(z.bytes, c.object_size) FROM unmatched u JOIN origin o ON o.id = u.origin
	JOIN cache c ON c.id = o.cache LEFT JOIN object_size z ON z.name = c.slabinfo WHERE u.class = 'before'
	UNION ALL
	SELECT 'free pages', CASE side WHEN 1 THEN bytes ELSE 0 END, CASE side WHEN 1 THEN 0 ELSE bytes END FROM held),
-- Memory that the tracer allocated when it was enabled, between the texts of the start and its first event. Memory that it
-- already had is not growth. If the trace lacks that figure, as in a later part of a recording, all of that memory existed
-- before.
tracer (account, bytes) AS (
	SELECT a.account, a.sign * sum(m.value - coalesce(b.value, 0)) FROM (SELECT 'VmallocUsed' AS account, 1 AS sign
		UNION ALL SELECT 'free pages', -1) a, meta m
	LEFT JOIN meta b ON b.key = replace(m.key, 'tracer_bytes.', 'tracer_bytes_before.')
	WHERE m.key IN ('tracer_bytes.stacks', 'tracer_bytes.frames', 'tracer_bytes.recall', 'tracer_bytes.maps',
			CASE a.account WHEN 'free pages' THEN 'tracer_bytes.buffers' END)
		AND (b.value IS NOT NULL OR coalesce((SELECT value FROM meta WHERE key = 'host.part'), 0) + 0 <= 1)
	GROUP BY a.account),
ours (account, taken, given) AS (SELECT account, sum(taken), sum(given) FROM parts GROUP BY account),
slab (given) AS (SELECT coalesce((SELECT given FROM ours WHERE account = 'Slab'), 0)),
row (number, account, source, kernel_bytes, taken_bytes, given_bytes, tracer_bytes, sign) AS (
	SELECT k.number, k.account, k.source, k.bytes, coalesce(o.taken, 0) * factor,
		CASE WHEN k.account NOT IN ('SReclaimable', 'SUnreclaim') OR (SELECT given FROM slab) = 0
			THEN coalesce(o.given, 0) * factor END,
		t.bytes, CASE k.account WHEN 'free pages' THEN -1 ELSE 1 END
	FROM scale, kernel k LEFT JOIN ours o ON o.account = k.account LEFT JOIN tracer t ON t.account = k.account),
told (number, account, source, kernel_bytes, taken_bytes, given_bytes, tracer_bytes, tracked_bytes) AS (
	SELECT number, account, source, kernel_bytes, taken_bytes, given_bytes, tracer_bytes,
		sign * (taken_bytes - given_bytes) + coalesce(tracer_bytes, 0) FROM row)
SELECT account, source, kernel_bytes, taken_bytes, given_bytes, tracer_bytes, tracked_bytes,
	kernel_bytes - tracked_bytes AS unexplained_bytes,
	CASE WHEN kernel_bytes <> 0 THEN round(100.0 * tracked_bytes / kernel_bytes, 2) END AS explained_pct
FROM told WHERE kernel_bytes IS NOT NULL ORDER BY number;
