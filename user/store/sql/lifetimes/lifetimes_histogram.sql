-- SPDX-License-Identifier: GPL-2.0-or-later
-- The bars in :rows: kind, decade, count, bar.
SELECT CASE json_extract(value, '$[0]') WHEN 0 THEN 'slab' WHEN 1 THEN 'page' WHEN 2 THEN 'percpu' ELSE 'vmalloc' END AS kind,
	CAST(CASE json_extract(value, '$[1]') WHEN 0 THEN '0' ELSE '1' || substr('000000000000000', 1, json_extract(value, '$[1]')) END AS INTEGER) AS from_ns,
	json_extract(value, '$[2]') * factor AS count, json_extract(value, '$[3]') AS bar
FROM json_each(:rows) r JOIN scale ORDER BY r.key;
