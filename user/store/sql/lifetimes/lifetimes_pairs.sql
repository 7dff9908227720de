-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names for the pairs in :rows: first origins of allocation and free, count, bytes, of which on another CPU, thread,
-- node; the last is NULL if the node of a CPU is unknown.
SELECT json_extract(value, '$[2]') * factor AS count, json_extract(value, '$[3]') * factor AS bytes,
	json_extract(value, '$[4]') * factor AS other_cpu, json_extract(value, '$[5]') * factor AS other_task,
	CASE WHEN (SELECT count(*) = count(node) FROM cpu) THEN json_extract(value, '$[6]') * factor END AS other_node, e.kind,
	CASE :by WHEN 'stack' THEN coalesce((SELECT text FROM stacks WHERE id = o.stack), f.function, '?')
		ELSE coalesce(f.function, '?') || coalesce(' [' || f.module || ']', '') END AS allocated_by,
	CASE :by WHEN 'stack' THEN coalesce((SELECT text FROM stacks WHERE id = fo.stack), ff.function, '?')
		ELSE coalesce(ff.function, '?') || coalesce(' [' || ff.module || ']', '') END AS freed_by
FROM json_each(:rows) r JOIN scale
JOIN origin o ON o.id = json_extract(value, '$[0]')
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
JOIN origin fo ON fo.id = json_extract(value, '$[1]')
LEFT JOIN frame ff ON ff.id = fo.caller
ORDER BY r.key;
