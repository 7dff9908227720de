-- SPDX-License-Identifier: GPL-2.0-or-later
-- Growth between two times, by :by: module, cache, task or thread.
-- :rows has the figures, a JSON array of objects in the order of the table; this adds the names.
SELECT (json_extract(j.value, '$.to_bytes') - json_extract(j.value, '$.from_bytes')) * factor AS grown_bytes,
	(json_extract(j.value, '$.to_count') - json_extract(j.value, '$.from_count')) * factor AS grown_count,
	json_extract(j.value, '$.from_bytes') * factor AS from_bytes,
	json_extract(j.value, '$.from_count') * factor AS from_count,
	json_extract(j.value, '$.to_bytes') * factor AS to_bytes,
	json_extract(j.value, '$.to_count') * factor AS to_count,
	json_extract(j.value, '$.live_bytes') * factor AS end_bytes, json_extract(j.value, '$.shape') AS shape,
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
