-- SPDX-License-Identifier: GPL-2.0-or-later
-- The call sites in figures, of all kinds, with their allocated bytes and allocations.
SELECT g.kind, f.live_bytes, f.live_count, s.total_bytes, s.count, g.caller, g.module
FROM temp.figures f JOIN temp.group_names g ON g.nr = f.rowid
LEFT JOIN temp.report_sites s ON s.kind = g.kind AND s.caller IS g.caller AND s.module IS g.module
ORDER BY g.nr;
