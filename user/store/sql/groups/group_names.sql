-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the groups in group_keys are; name: by the word of --by. A row's number is that of its figures.
CREATE TEMP VIEW IF NOT EXISTS group_names AS
SELECT k.rowid AS nr, e.kind, f.function AS caller,
	coalesce(f.module, r.name) AS module, o.stack, c.name AS cache,
	CASE k.word
		WHEN 'site' THEN coalesce(f.function, '?') || coalesce(' [' || f.module || ']', ' ' || r.name, '')
		WHEN 'stack' THEN coalesce((SELECT text FROM stacks WHERE id = o.stack), f.function, '?')
		WHEN 'cache' THEN coalesce(c.name, '(no cache)')
		WHEN 'module' THEN coalesce(f.module, '(kernel)')
		WHEN 'task' THEN coalesce(t.comm, '?') || coalesce('-' || coalesce(t.tgid, t.tid), '') ||
			iif(t.id IN (SELECT id FROM recorder_tasks), ' (the recorder)', '')
		WHEN 'thread' THEN coalesce(t.comm, '?') || coalesce('-' || t.tid, '') ||
			iif(t.id IN (SELECT id FROM recorder_tasks), ' (the recorder)', '')
		WHEN 'cpu' THEN CAST(k.task AS TEXT)
		WHEN 'node' THEN coalesce(CAST(o.node AS TEXT), '(no node)')
		WHEN 'order' THEN coalesce(CAST(o.page_order AS TEXT), '(no order)')
		WHEN 'size' THEN CAST(o.bytes_alloc AS TEXT)
		ELSE e.kind END AS name
FROM temp.group_keys k
JOIN origin o ON o.id = k.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN (SELECT DISTINCT caller, '(the tracer)' AS name FROM tracer_sites) r ON r.caller = f.function
LEFT JOIN cache c ON c.id = o.cache
LEFT JOIN task t ON t.id = k.task;
