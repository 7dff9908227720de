-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query failed has no rows: which kinds did not fail, and of which this is unknown.
SELECT 'no allocation failed in this trace: ' || coalesce(group_concat(name, ', ') FILTER (WHERE traced), 'nothing') ||
	' traced' || coalesce('; not traced: ' || group_concat(name, ', ') FILTER (WHERE NOT traced) || ' (record -e slab,page,' ||
	group_concat(name, ',') FILTER (WHERE NOT traced AND name NOT IN ('slab', 'page')) || ')', '')
FROM event_group WHERE +name IN ('slab', 'page', 'percpu', 'vmalloc') HAVING count(*) > 0;
