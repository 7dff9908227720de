-- SPDX-License-Identifier: GPL-2.0-or-later
-- The names of all call sites, those with most bytes first.
SELECT caller FROM (
	SELECT caller, bytes_total AS weight FROM call_sites
	UNION ALL
	SELECT caller, 0 FROM fragmentation)
WHERE caller IS NOT NULL GROUP BY caller ORDER BY max(weight) DESC, caller;
