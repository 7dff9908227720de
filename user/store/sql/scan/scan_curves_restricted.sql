-- SPDX-License-Identifier: GPL-2.0-or-later
-- As scan_curves on a restricted connection: of the allocations that are kept, also outside of the interval; of the origins :origins, a
-- JSON array, or without it of all.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts)
FROM temp.judged_lifetime
WHERE rowid BETWEEN :first AND :last AND kept AND (:origins IS NULL OR is_in(:origins, origin));
