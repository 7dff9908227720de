-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of each kind, and the call site that allocated most of its bytes.
SELECT kind, allocs * factor AS count, bytes_total * factor AS total_bytes, live_count * factor AS live_count,
	live_bytes * factor AS live_bytes, caller AS most_allocated_by, module
FROM (
	SELECT kind, caller, module, sum(allocs) OVER kinds AS allocs, sum(bytes_total) OVER kinds AS bytes_total,
		sum(live_count) OVER kinds AS live_count, sum(live_bytes) OVER kinds AS live_bytes,
		row_number() OVER (PARTITION BY kind ORDER BY bytes_total DESC, caller, module) AS rank
	FROM call_sites
	WHERE :site = '' OR caller = :site
	WINDOW kinds AS (PARTITION BY kind)
), scale
WHERE rank = 1
ORDER BY kind = 'vmalloc', kind = 'percpu', kind = 'page';
