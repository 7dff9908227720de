-- SPDX-License-Identifier: GPL-2.0-or-later
-- The pairs of groups in the table pairs, with names; other_node is NULL if the node of a CPU is unknown.
SELECT count, bytes, other_cpu, other_task, iif((SELECT count(*) = count(node) FROM cpu), other_node, NULL) AS other_node, e.kind,
	CASE :by WHEN 'stack' THEN coalesce((SELECT text FROM stacks WHERE id = o.stack), f.function, '?')
		ELSE coalesce(f.function, '?') || coalesce(' [' || f.module || ']', '') END AS allocated_by,
	CASE :by WHEN 'stack' THEN coalesce((SELECT text FROM stacks WHERE id = fo.stack), ff.function, '?')
		ELSE coalesce(ff.function, '?') || coalesce(' [' || ff.module || ']', '') END AS freed_by
FROM temp.pairs p
JOIN origin o ON o.id = p.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
JOIN origin fo ON fo.id = p.free_origin
LEFT JOIN frame ff ON ff.id = fo.caller
ORDER BY p.rowid;
