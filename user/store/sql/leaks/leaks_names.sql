-- SPDX-License-Identifier: GPL-2.0-or-later
-- Old live allocations, by :by: module, cache, task or thread.
-- :rows has the figures, a JSON array of objects in the order of the table; this adds the names.
SELECT json_extract(j.value, '$.old_bytes') * factor AS old_bytes,
	json_extract(j.value, '$.old_count') * factor AS old_count,
	json_extract(j.value, '$.live_bytes') * factor AS live_bytes,
	json_extract(j.value, '$.oldest_ns') AS oldest_ns,
	json_extract(j.value, '$.age0') * factor AS under_1s, json_extract(j.value, '$.age1') * factor AS under_10s,
	json_extract(j.value, '$.age2') * factor AS under_1m, json_extract(j.value, '$.age3') * factor AS under_10m,
	json_extract(j.value, '$.age4') * factor AS over_10m,
	json_extract(j.value, '$.doubtful') * factor AS doubtful, json_extract(j.value, '$.shape') AS shape,
	CASE :by WHEN 'module' THEN coalesce(f.module, '(kernel)') WHEN 'cache' THEN coalesce(c.name, '(no cache)')
		WHEN 'task' THEN coalesce(t.comm, '?') || coalesce('-' || coalesce(t.tgid, t.tid), '') ||
			iif(t.id IN (SELECT id FROM recorder_tasks), ' (the recorder)', '')
		WHEN 'thread' THEN coalesce(t.comm, '?') || coalesce('-' || t.tid, '') ||
			iif(t.id IN (SELECT id FROM recorder_tasks), ' (the recorder)', '') END AS holder
FROM json_each(:rows) j, scale
JOIN origin o ON o.id = json_extract(j.value, '$.origin')
LEFT JOIN task t ON t.id = json_extract(j.value, '$.task')
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
ORDER BY j.key;
