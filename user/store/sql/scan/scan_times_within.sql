-- SPDX-License-Identifier: GPL-2.0-or-later
-- Start and end of each allocation that was live at some time from :from to :to.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts)
FROM lifetime
WHERE rowid BETWEEN :first AND :last AND time_ns <= :to AND (lifetime_ns IS NULL OR time_ns + lifetime_ns >= :from);
