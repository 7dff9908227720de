-- SPDX-License-Identifier: GPL-2.0-or-later
-- As scan_times, only for allocations that remain at the end.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts, place, addr)
FROM lifetime WHERE rowid BETWEEN max(:first, (SELECT value FROM meta WHERE key = 'first_left')) AND :last;
