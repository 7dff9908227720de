-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of the :limit largest boot steps, in the order of their first allocations, in which origins are
-- numbered: a step is an initcall, or a function
-- that start_kernel() or the first thread's kernel_init_freeable() calls. Slab objects and pages are separate
-- accounts; pages that back slabs or large kmallocs are left out. No row unless the trace has
-- kernel_init_freeable(), which runs but once; stacks truncated below the step are in none.
WITH largest AS (
	SELECT min(o.id) AS first, step, called_by,
		sum(CASE kind WHEN 'slab' THEN count ELSE 0 END) AS slab_count,
		sum(CASE kind WHEN 'slab' THEN count * bytes_alloc ELSE 0 END) AS slab_bytes,
		sum(CASE WHEN kind = 'slab' AND state = 0 THEN count * bytes_alloc ELSE 0 END) AS slab_live_bytes,
		sum(CASE kind WHEN 'page' THEN count ELSE 0 END) AS page_count,
		sum(CASE kind WHEN 'page' THEN count * bytes_alloc ELSE 0 END) AS page_bytes,
		sum(CASE WHEN kind = 'page' AND state = 0 THEN count * bytes_alloc - pages_freed *
			(SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) AS page_live_bytes
	FROM boot_steps s
	JOIN origin o ON o.stack = s.stack
	JOIN event e ON e.id = o.event
	JOIN alloc_total t ON t.origin = o.id
	WHERE t.backing = 0 OR kind = 'slab'
	GROUP BY step, called_by ORDER BY max(slab_bytes, page_bytes) DESC, first LIMIT :limit)
SELECT step, called_by, slab_count, slab_bytes, slab_live_bytes, page_count, page_bytes, page_live_bytes
FROM largest ORDER BY first;
