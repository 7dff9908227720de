-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of suspects, with their names by :by. follows: the reclaimable group that it grows with.
SELECT verdict, confidence, doubts, allocated, freed, live_count, live_bytes, outlived_count, freed_p99_ns, growth_bytes_s,
	active_from_ns, active_to_ns, follows, oldest_ns, nullif(oldest_addr, '') AS oldest_addr, kind,
	iif(:by IN ('site', 'stack'), caller, name) AS holder, iif(:by IN ('site', 'stack'), module, NULL) AS module, iif(:by = 'stack', stack, NULL) AS stack, evidence
FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
