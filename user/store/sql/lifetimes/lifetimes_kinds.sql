-- SPDX-License-Identifier: GPL-2.0-or-later
-- The same for kinds.
SELECT CASE json_extract(value, '$[0]') WHEN 0 THEN 'slab' WHEN 1 THEN 'page' WHEN 2 THEN 'percpu' ELSE 'vmalloc' END AS kind,
	json_extract(value, '$[2]') * factor AS freed, json_extract(value, '$[3]') * factor AS freed_bytes,
	json_extract(value, '$[4]') AS p50_ns, json_extract(value, '$[5]') AS p95_ns, json_extract(value, '$[6]') AS p99_ns,
	json_extract(value, '$[7]') AS max_ns, json_extract(value, '$[8]') * factor AS live, json_extract(value, '$[9]') * factor AS unseen
FROM json_each(:rows) r JOIN scale ORDER BY r.key;
