-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of suspects, with their names by :by. follows: the reclaimable group that it grows with.
SELECT verdict, confidence, doubts, allocated, freed, live_count, live_bytes, outlived_count, freed_p99_ns, growth_bytes_s,
	active_from_ns, active_to_ns,
	(SELECT CASE :by WHEN 'module' THEN coalesce(f.module, '(kernel)') WHEN 'cache' THEN coalesce(c.name, '(no cache)')
			WHEN 'site' THEN f.function WHEN 'stack' THEN f.function END
		FROM origin o LEFT JOIN frame f ON f.id = o.caller LEFT JOIN cache c ON c.id = o.cache WHERE o.id = leader) AS follows,
	kind, iif(:by IN ('site', 'stack'), caller, name) AS holder, iif(:by IN ('site', 'stack'), module, NULL) AS module,
	iif(:by = 'stack', stack, NULL) AS stack
FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
