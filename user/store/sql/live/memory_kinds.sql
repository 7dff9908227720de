-- SPDX-License-Identifier: GPL-2.0-or-later
-- The kinds in :rows: kind, time, bytes, count, bytes freed unseen.
SELECT CASE json_extract(value, '$[0]') WHEN 0 THEN 'slab' WHEN 1 THEN 'page' WHEN 2 THEN 'percpu' ELSE 'vmalloc' END AS kind,
	json_extract(value, '$[1]') AS at_ns, json_extract(value, '$[2]') * factor AS live_bytes, json_extract(value, '$[3]') * factor AS live_count,
	json_extract(value, '$[4]') * factor AS unseen_bytes
FROM json_each(:rows) r JOIN scale ORDER BY r.key;
