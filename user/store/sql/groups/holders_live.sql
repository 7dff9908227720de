-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live allocations at the end without a backing, with the columns of scan_curves.
SELECT l.origin, l.time_ns, l.task, l.lifetime_ns, l.ending, l.parts
FROM lifetime l
WHERE l.rowid >= (SELECT value FROM meta WHERE key = 'first_left') AND l.ending & 31 = 0;
