-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names for the lines in :rows: first origin, first task, time of the maximum, its bytes, bytes at the end, diagram.
SELECT json_extract(value, '$[3]') * factor AS most_bytes, json_extract(value, '$[2]') AS at_ns, json_extract(value, '$[4]') * factor AS end_bytes,
	'|' || json_extract(value, '$[5]') || '|' AS over_time, e.kind,
	CASE :by
		WHEN 'site' THEN coalesce(f.function, '?') || coalesce(' [' || f.module || ']',
			iif(f.function IN (SELECT caller FROM tracer_sites), ' (the tracer)', ''))
		WHEN 'stack' THEN coalesce((SELECT text FROM stacks WHERE id = o.stack), f.function, '?')
		WHEN 'cache' THEN coalesce(c.name, '(no cache)')
		WHEN 'module' THEN coalesce(f.module, '(kernel)')
		WHEN 'task' THEN coalesce(t.comm, '?') || coalesce('-' || coalesce(t.tgid, t.tid), '') ||
			iif(t.id IN (SELECT id FROM recorder_tasks), ' (the recorder)', '')
		WHEN 'thread' THEN coalesce(t.comm, '?') || coalesce('-' || t.tid, '') ||
			iif(t.id IN (SELECT id FROM recorder_tasks), ' (the recorder)', '')
		ELSE e.kind END AS name
FROM json_each(:rows) r JOIN scale
JOIN origin o ON o.id = json_extract(value, '$[0]')
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN task t ON t.id = json_extract(value, '$[1]')
ORDER BY r.key;
