-- SPDX-License-Identifier: GPL-2.0-or-later
-- As scan_lifetimes, with the CPU in place of the task.
SELECT scan(origin, place >> 2, lifetime_ns, ending) FROM lifetime WHERE rowid BETWEEN :first AND :last;
