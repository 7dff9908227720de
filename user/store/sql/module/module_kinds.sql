-- SPDX-License-Identifier: GPL-2.0-or-later
-- The table module_sums by kind.
SELECT kind, sum(init_bytes) AS init_bytes, sum(init_count) AS init_count, sum(later_bytes) AS later_bytes,
	sum(later_count) AS later_count, sum(freed_bytes) AS freed_bytes, sum(freed_count) AS freed_count, sum(unload_bytes) AS unload_bytes,
	sum(unload_count) AS unload_count, sum(left_bytes) AS left_bytes, sum(left_count) AS left_count
FROM temp.module_sums GROUP BY kind ORDER BY kind = 'vmalloc', kind = 'percpu', kind = 'page';
