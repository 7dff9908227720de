-- SPDX-License-Identifier: GPL-2.0-or-later
-- The numbers of :what that are in the trace.
SELECT id FROM cpu WHERE :what = 'cpu'
UNION ALL SELECT id FROM stack WHERE :what = 'stack' AND whole
UNION ALL SELECT node FROM (SELECT DISTINCT node FROM origin WHERE :what = 'node' AND node IS NOT NULL);
