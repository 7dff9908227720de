-- SPDX-License-Identifier: GPL-2.0-or-later
-- Requested and allocated bytes of kmallocs: those live at the end, and all.
SELECT x.which, sum(t.count) * factor AS count, sum(t.count * o.bytes_req) * factor AS requested_bytes,
	sum(t.count * o.bytes_alloc) * factor AS allocated_bytes,
	sum(t.count * (o.bytes_alloc - o.bytes_req)) * factor AS waste_bytes,
	100.0 * sum(t.count * (o.bytes_alloc - o.bytes_req)) / sum(t.count * o.bytes_alloc) AS waste_pct
FROM (SELECT 'live at the end' AS which, 1 AS live UNION ALL SELECT 'all', 0) x, scale, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
WHERE e.name = 'kmalloc' AND (x.live = 0 OR t.state = 0)
GROUP BY x.which ORDER BY x.live DESC;
