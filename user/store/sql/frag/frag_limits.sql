-- SPDX-License-Identifier: GPL-2.0-or-later
-- What this trace cannot show, or not with certainty.
SELECT part, 'events were lost: memory shown as live may have been freed' || CASE part
	WHEN 'slab' THEN ', and slabs shown as empty may hold objects' ELSE '' END AS text
FROM (SELECT 'rounding' AS part UNION ALL SELECT 'slab' UNION ALL SELECT 'page')
WHERE EXISTS (SELECT 1 FROM losses WHERE unit NOT IN ('details', 'names') AND count > 0)
UNION ALL
SELECT part, 'one address in ' || factor || ' was traced: counts and bytes are scaled by ' || factor
FROM (SELECT 'rounding' AS part UNION ALL SELECT 'page'), scale WHERE factor > 1
UNION ALL
SELECT 'slab', 'one object in ' || factor || ' was traced: a sample cannot show how full a slab is'
FROM scale WHERE factor > 1
UNION ALL
SELECT 'slab', 'the slabs of objects are unknown: the trace lacks the address of page frame 0'
WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'linear_base' AND value <> 0)
UNION ALL
SELECT part, 'page events were not traced'
FROM (SELECT 'slab' AS part UNION ALL SELECT 'page') WHERE EXISTS (SELECT 1 FROM event_group WHERE name = 'page' AND NOT traced)
UNION ALL
SELECT part, 'kmallocs and cache objects were not traced'
FROM (SELECT 'rounding' AS part UNION ALL SELECT 'slab')
WHERE EXISTS (SELECT 1 FROM event_group WHERE name = 'slab' AND NOT traced)
UNION ALL
SELECT 'page', 'extfrag and compact events were not traced (record -e slab,page,frag)'
WHERE NOT EXISTS (SELECT 1 FROM event_group WHERE name = 'frag' AND traced)
UNION ALL
SELECT part, 'a filter excluded allocations (' || (SELECT group_concat(name, ', ') FROM filters WHERE in_force AND name <> 'sample') ||
	'): the other contents of a ' || CASE part WHEN 'slab' THEN 'slab' ELSE 'pageblock' END || ' are unknown'
FROM (SELECT 'slab' AS part UNION ALL SELECT 'page')
WHERE EXISTS (SELECT 1 FROM filters WHERE in_force AND name <> 'sample');
