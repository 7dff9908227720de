-- SPDX-License-Identifier: GPL-2.0-or-later
-- Growth between two times, by stack: its text, or without :text its number.
-- :rows has the figures, a JSON array of objects in the order of the table; this adds the names.
SELECT (json_extract(j.value, '$.to_bytes') - json_extract(j.value, '$.from_bytes')) * factor AS grown_bytes,
	(json_extract(j.value, '$.to_count') - json_extract(j.value, '$.from_count')) * factor AS grown_count,
	json_extract(j.value, '$.from_bytes') * factor AS from_bytes,
	json_extract(j.value, '$.from_count') * factor AS from_count,
	json_extract(j.value, '$.to_bytes') * factor AS to_bytes,
	json_extract(j.value, '$.to_count') * factor AS to_count,
	json_extract(j.value, '$.live_bytes') * factor AS end_bytes, json_extract(j.value, '$.shape') AS shape,
	f.function AS holder, f.module,
	CASE WHEN :text THEN (SELECT text FROM stacks WHERE id = o.stack) ELSE CAST(o.stack AS TEXT) END AS stack
FROM json_each(:rows) j, scale
JOIN origin o ON o.id = json_extract(j.value, '$.origin')
LEFT JOIN frame f ON f.id = o.caller
ORDER BY j.key;
