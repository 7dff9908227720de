-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who allocated and who freed.
SELECT origin, free_origin, ending, place >> 2 <> (place + free_place) >> 2, task, task + free_task, lifetime_ns
FROM lifetime WHERE rowid BETWEEN :first AND :last AND free_origin IS NOT NULL;
