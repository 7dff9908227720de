-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of each kind as in the view kinds, and wasted bytes.
SELECT kind, sum(allocs) * factor AS count, sum(bytes_total) * factor AS bytes, sum(live_count) * factor AS live_count,
	sum(live_bytes) * factor AS live_bytes, sum(waste_total) * factor AS waste_bytes,
	sum(freeing_count) * factor AS freeing_count, sum(freeing_bytes) * factor AS freeing_bytes
FROM call_sites, scale
GROUP BY kind ORDER BY kind = 'vmalloc', kind = 'percpu', kind = 'page';
