-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names for the groups in :rows: first origin, first task, freed, bytes, p50, p95, p99, max, live, unseen.
SELECT json_extract(value, '$[2]') * factor AS freed, json_extract(value, '$[3]') * factor AS freed_bytes,
	json_extract(value, '$[4]') AS p50_ns, json_extract(value, '$[5]') AS p95_ns, json_extract(value, '$[6]') AS p99_ns,
	json_extract(value, '$[7]') AS max_ns, json_extract(value, '$[8]') * factor AS live, json_extract(value, '$[9]') * factor AS unseen, e.kind,
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
