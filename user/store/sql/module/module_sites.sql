-- SPDX-License-Identifier: GPL-2.0-or-later
-- The results of module_sums (:rows) for the kind :kind, by call site.
SELECT
	json_extract(j.value, '$.init_bytes') * factor AS init_bytes, json_extract(j.value, '$.init_count') * factor AS init_count,
	json_extract(j.value, '$.later_bytes') * factor AS later_bytes, json_extract(j.value, '$.later_count') * factor AS later_count,
	json_extract(j.value, '$.freed_bytes') * factor AS freed_bytes, json_extract(j.value, '$.freed_count') * factor AS freed_count,
	json_extract(j.value, '$.exit_bytes') * factor AS unload_bytes, json_extract(j.value, '$.exit_count') * factor AS unload_count,
	json_extract(j.value, '$.left_bytes') * factor AS left_bytes, json_extract(j.value, '$.left_count') * factor AS left_count,
	json_extract(j.value, '$.caller') AS caller, json_extract(j.value, '$.module') AS module
FROM json_each(:rows) j, scale
WHERE json_extract(j.value, '$.kind') = :kind
ORDER BY j.key LIMIT :limit;
