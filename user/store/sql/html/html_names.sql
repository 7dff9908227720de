-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names of the origins in :rows, a JSON array of numbers, in its order; of their stacks if :stacks is 1.
SELECT coalesce(f.function, '(unknown)') AS caller,
	coalesce(f.module, CASE WHEN f.function IN (SELECT caller FROM tracer_sites) THEN '(the tracer)' END) AS module, c.name AS cache,
	CASE WHEN :stacks = 1 THEN (SELECT text FROM stacks WHERE id = o.stack) END AS stack
FROM json_each(:rows) r JOIN origin o ON o.id = r.value
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = o.cache
ORDER BY r.key;
