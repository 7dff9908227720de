-- SPDX-License-Identifier: GPL-2.0-or-later
-- All allocations on a restricted connection, and whether they are kept.
SELECT scan(origin, time_ns, place, task, lifetime_ns, ending, within_time AND kept)
FROM temp.judged_lifetime WHERE rowid BETWEEN :first AND :last;
