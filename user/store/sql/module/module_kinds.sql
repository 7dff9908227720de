-- SPDX-License-Identifier: GPL-2.0-or-later
-- The results of module_sums (:rows), by kind.
SELECT json_extract(j.value, '$.kind') AS kind,
	sum(json_extract(j.value, '$.init_bytes')) * factor AS init_bytes, sum(json_extract(j.value, '$.init_count')) * factor AS init_count,
	sum(json_extract(j.value, '$.later_bytes')) * factor AS later_bytes, sum(json_extract(j.value, '$.later_count')) * factor AS later_count,
	sum(json_extract(j.value, '$.freed_bytes')) * factor AS freed_bytes, sum(json_extract(j.value, '$.freed_count')) * factor AS freed_count,
	sum(json_extract(j.value, '$.exit_bytes')) * factor AS unload_bytes, sum(json_extract(j.value, '$.exit_count')) * factor AS unload_count,
	sum(json_extract(j.value, '$.left_bytes')) * factor AS left_bytes, sum(json_extract(j.value, '$.left_count')) * factor AS left_count

FROM json_each(:rows) j, scale
GROUP BY 1 ORDER BY kind = 'vmalloc', kind = 'percpu', kind = 'page';
