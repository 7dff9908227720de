-- SPDX-License-Identifier: GPL-2.0-or-later
-- Start and end of each allocation in the whole trace, even if the connection is restricted to an interval.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts, place)
FROM main.lifetime WHERE rowid BETWEEN :first AND :last;
