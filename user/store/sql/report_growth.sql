-- SPDX-License-Identifier: GPL-2.0-or-later
-- How much of what meminfo says of the slab's growth the trace explains: slab pages allocated in the
-- trace that are live at its end, less slab pages freed that are from before it. One row.
SELECT meminfo_bytes, traced_bytes,
	CASE WHEN meminfo_bytes <> 0 THEN 100.0 * traced_bytes / meminfo_bytes END AS explained_pct
FROM (SELECT
	(SELECT 1024 * (b.kb - a.kb) FROM meminfo a JOIN meminfo b ON a.key = b.key
		WHERE a.phase = 0 AND b.phase = 1 AND a.key = 'Slab') AS meminfo_bytes,
	ifnull((SELECT sum(live_bytes) FROM total WHERE backing = 1), 0) -
	ifnull((SELECT sum(bytes) FROM unmatched WHERE slab), 0) AS traced_bytes);
