-- SPDX-License-Identifier: GPL-2.0-or-later
-- Start and end of each allocation.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts)
FROM lifetime WHERE rowid BETWEEN :first AND :last;
