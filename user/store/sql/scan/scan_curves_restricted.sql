-- SPDX-License-Identifier: GPL-2.0-or-later
-- As scan_curves on a restricted connection: only allocations that are kept, also outside the interval.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts, place)
FROM temp.judged_lifetime WHERE rowid BETWEEN :first AND :last AND kept;
