-- SPDX-License-Identifier: GPL-2.0-or-later
-- Call sites that waste the most by rounding up, and the sizes that were rounded. Counts only rounded allocations.
-- :lines 20  maximum number of rows
SELECT sum(t.count * (o.bytes_alloc - o.bytes_req)) * factor AS waste_bytes,
	100.0 * sum(t.count * (o.bytes_alloc - o.bytes_req)) / sum(t.count * o.bytes_alloc) AS of_those_allocated_pct,
	sum(t.count) * factor AS rounded_count, min(o.bytes_req) AS least_bytes, max(o.bytes_req) AS most_bytes,
	f.function AS caller, f.module
FROM scale, alloc_total t
JOIN origin o ON o.id = t.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
WHERE e.kind = 'slab' AND o.bytes_alloc > o.bytes_req
GROUP BY f.function, f.module ORDER BY waste_bytes DESC, caller, f.module LIMIT :lines;
