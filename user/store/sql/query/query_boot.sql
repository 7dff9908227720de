-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of each boot step, the largest first; nr is the order of their first allocations. Needs a trace from boot on.
-- :lines 200  maximum number of rows
-- Origins are numbered in that order. Slab objects and pages are separate accounts; pages that back slabs or large kmallocs, and what
-- the tracer allocates, are left out; stacks truncated below the step are in none.
SELECT row_number() OVER (ORDER BY min(o.id)) AS nr, step, called_by,
	sum(CASE kind WHEN 'slab' THEN count ELSE 0 END) * factor AS slab_count,
	sum(CASE kind WHEN 'slab' THEN count * bytes_alloc ELSE 0 END) * factor AS slab_bytes,
	sum(CASE WHEN kind = 'slab' AND state = 0 THEN count * bytes_alloc ELSE 0 END) * factor AS slab_live_bytes,
	sum(CASE kind WHEN 'page' THEN count ELSE 0 END) * factor AS page_count,
	sum(CASE kind WHEN 'page' THEN count * bytes_alloc ELSE 0 END) * factor AS page_bytes,
	sum(CASE WHEN kind = 'page' AND state = 0 THEN count * bytes_alloc - pages_freed *
		(SELECT value FROM meta WHERE key = 'page_size') ELSE 0 END) * factor AS page_live_bytes
FROM scale JOIN boot_steps s
JOIN origin o ON o.stack = s.stack
JOIN event e ON e.id = o.event
JOIN alloc_total t ON t.origin = o.id
WHERE (t.backing = 0 OR kind = 'slab') AND o.id NOT IN (SELECT origin FROM tracer_origin)
GROUP BY step, called_by ORDER BY max(slab_bytes, page_bytes) DESC, nr LIMIT :lines;
