-- SPDX-License-Identifier: GPL-2.0-or-later
-- Start and end of each allocation in the whole trace, of the origins :origins, a JSON array.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts)
FROM main.lifetime
WHERE rowid BETWEEN :first AND :last AND origin IN (SELECT value FROM json_each(:origins));
