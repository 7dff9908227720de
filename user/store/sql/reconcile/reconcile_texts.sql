-- SPDX-License-Identifier: GPL-2.0-or-later
-- The compared memory texts that the trace lacks, with their phase, in order. Those of
-- the start are useless if the oldest events are missing.
SELECT t.name, p.phase FROM (SELECT 'meminfo' AS name, 0 AS number UNION ALL SELECT 'slabinfo', 1
	UNION ALL SELECT 'buddyinfo', 2) t, (SELECT 'start' AS phase UNION ALL SELECT 'end') p
WHERE (p.phase = 'start' AND EXISTS (SELECT 1 FROM meta WHERE key = 'late_cpu')) OR NOT CASE t.name
	WHEN 'meminfo' THEN EXISTS (SELECT 1 FROM meminfo m WHERE m.phase = p.phase)
	WHEN 'slabinfo' THEN EXISTS (SELECT 1 FROM slabinfo s WHERE s.phase = p.phase)
	ELSE EXISTS (SELECT 1 FROM buddyinfo b WHERE b.phase = p.phase) END
ORDER BY p.phase DESC, t.number;
