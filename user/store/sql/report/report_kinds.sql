-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of each kind.
SELECT kind, sum(allocs) * factor AS count, sum(bytes_total) * factor AS total_bytes,
	sum(live_count) * factor AS live_count, sum(live_bytes) * factor AS live_bytes,
	sum(freeing_count) * factor AS freeing_count, sum(freeing_bytes) * factor AS freeing_bytes
FROM call_sites, scale
WHERE :site = '' OR caller = :site
GROUP BY kind ORDER BY kind = 'vmalloc', kind = 'percpu', kind = 'page';
