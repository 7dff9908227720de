-- SPDX-License-Identifier: GPL-2.0-or-later
-- As scan_times, with the CPU in place of the task.
SELECT scan(origin, time_ns, place >> 2, lifetime_ns, ending, parts)
FROM lifetime WHERE rowid BETWEEN :first AND :last;
