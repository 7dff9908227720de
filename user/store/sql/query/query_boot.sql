-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations of each boot step, in the order of the first allocations. Needs a trace from boot on.
-- :lines 200  maximum number of rows
SELECT step, called_by,
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
GROUP BY step, called_by ORDER BY min(o.id) LIMIT :lines;
