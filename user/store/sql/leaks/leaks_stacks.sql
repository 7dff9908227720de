-- SPDX-License-Identifier: GPL-2.0-or-later
-- Old live allocations, by stack: its text, or without :text its number.
-- :rows has the figures, a JSON array of objects in the order of the table; this adds the names.
SELECT json_extract(j.value, '$.old_bytes') * factor AS old_bytes,
	json_extract(j.value, '$.old_count') * factor AS old_count,
	json_extract(j.value, '$.live_bytes') * factor AS live_bytes,
	json_extract(j.value, '$.oldest_ns') AS oldest_ns,
	json_extract(j.value, '$.age0') * factor AS under_1s, json_extract(j.value, '$.age1') * factor AS under_10s,
	json_extract(j.value, '$.age2') * factor AS under_1m, json_extract(j.value, '$.age3') * factor AS under_10m,
	json_extract(j.value, '$.age4') * factor AS over_10m,
	json_extract(j.value, '$.doubtful') * factor AS doubtful, json_extract(j.value, '$.shape') AS shape,
	f.function AS holder, f.module,
	CASE WHEN :text THEN (SELECT text FROM stacks WHERE id = o.stack) ELSE CAST(o.stack AS TEXT) END AS stack
FROM json_each(:rows) j, scale
JOIN origin o ON o.id = json_extract(j.value, '$.origin')
LEFT JOIN frame f ON f.id = o.caller
ORDER BY j.key;
