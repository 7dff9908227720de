-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who allocated and who freed: 1 if that was on another CPU, and the difference between the numbers of the tasks.
SELECT origin, free_origin, place >> 2 <> (place + free_place) >> 2, task, free_task
FROM lifetime WHERE rowid BETWEEN :first AND :last AND free_origin IS NOT NULL AND NOT ending & 24;
