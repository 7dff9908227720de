-- SPDX-License-Identifier: GPL-2.0-or-later
-- Call sites with the most allocations, and the share that was freed.
-- :kind slab  slab, page, percpu or vmalloc
-- :lines 20  maximum number of rows
SELECT allocs * factor AS count, CAST(round(allocs * factor * 1e9 / nullif(span, 0)) AS INTEGER) AS per_second,
	bytes_total * factor AS total_bytes, 100.0 * (allocs - live_count - freeing_count) / allocs AS freed_pct,
	live_count * factor AS live_count, caller, module
FROM call_sites, scale, (SELECT value AS span FROM meta WHERE key = 'span_ns')
WHERE kind = :kind ORDER BY allocs DESC, caller, module LIMIT :lines;
