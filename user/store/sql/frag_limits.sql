-- SPDX-License-Identifier: GPL-2.0-or-later
-- What this trace can't tell.
SELECT 'slab' AS part, 'one object in ' || factor || ' was traced: how full a slab is, a sample can''t tell' AS text
FROM scale WHERE factor > 1
UNION ALL
SELECT 'slab', 'where objects lie is not known: the trace lacks the address of page frame 0'
WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'linear_base' AND value <> 0)
UNION ALL
SELECT part, 'page events were not traced'
FROM (SELECT 'slab' AS part UNION ALL SELECT 'page') WHERE EXISTS (SELECT 1 FROM event_group WHERE name = 'page' AND NOT traced)
UNION ALL
SELECT part, 'kmallocs and cache objects were not traced'
FROM (SELECT 'rounding' AS part UNION ALL SELECT 'slab')
WHERE EXISTS (SELECT 1 FROM event_group WHERE name = 'slab' AND NOT traced)
UNION ALL
SELECT 'page', 'extfrag events were not traced (record -e frag)'
WHERE NOT EXISTS (SELECT 1 FROM event_group WHERE name = 'frag' AND traced)
UNION ALL
SELECT part, 'a filter left allocations out (' || (SELECT group_concat(name, ', ') FROM filters WHERE in_force AND name <> 'sample') ||
	'): what else is in a ' || CASE part WHEN 'slab' THEN 'slab' ELSE 'pageblock' END || ' is not known'
FROM (SELECT 'slab' AS part UNION ALL SELECT 'page')
WHERE EXISTS (SELECT 1 FROM filters WHERE in_force AND name <> 'sample');
