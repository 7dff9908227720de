-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names for the groups in :caches: cache, account, slabs, of these below a quarter, a half, three quarters and above, byte-ns of
-- slabs, room-ns, object-ns, ns. Memory used for half of the trace counts half.
SELECT CAST(round(byte_ns / span) AS INTEGER) AS average_slab_bytes,
	CAST(round(byte_ns * (1 - min(1.0, object_ns / room_ns)) / span) AS INTEGER) AS average_idle_bytes,
	100.0 * min(1.0, object_ns / room_ns) AS live_pct, slabs, below_25, below_50, below_75, above_75,
	CAST(life_ns / slabs AS INTEGER) AS average_life_ns, c.name AS cache,
	CASE account WHEN 2 THEN 'SReclaimable' WHEN 1 THEN 'SUnreclaim' END AS account
FROM (SELECT json_extract(value, '$[0]') AS cache, json_extract(value, '$[1]') AS account, json_extract(value, '$[2]') AS slabs,
		json_extract(value, '$[3]') AS below_25, json_extract(value, '$[4]') AS below_50,
		json_extract(value, '$[5]') AS below_75, json_extract(value, '$[6]') AS above_75,
		CAST(json_extract(value, '$[7]') AS REAL) AS byte_ns, CAST(json_extract(value, '$[8]') AS REAL) AS room_ns,
		CAST(json_extract(value, '$[9]') AS REAL) AS object_ns, json_extract(value, '$[10]') AS life_ns,
		(SELECT value FROM meta WHERE key = 'span_ns') AS span
	FROM json_each(:caches)) r
LEFT JOIN cache c ON c.id = r.cache
ORDER BY average_idle_bytes DESC, average_slab_bytes DESC, c.name, account LIMIT :limit;
