-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live, allocated and wasted bytes of each module's code.
-- :lines 50  maximum number of rows
SELECT kind, sum(live_bytes) * factor AS live_bytes, sum(live_count) * factor AS live_count,
	sum(bytes_total) * factor AS total_bytes, sum(allocs) * factor AS count,
	CASE kind WHEN 'slab' THEN sum(waste_total) * factor END AS waste_bytes,
	CASE module WHEN 'kmemtrace' THEN 'kmemtrace (the tracer)' ELSE coalesce(module, '(kernel)') END AS module
FROM call_sites, scale
GROUP BY kind, call_sites.module ORDER BY live_bytes DESC, total_bytes DESC, kind, 7 LIMIT :lines;
