-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pairs of allocation and free. Allocations without a seen end, or with a backing, are left out later.
SELECT scan(origin, place, task, free_origin, free_place, free_task, ending)
FROM lifetime WHERE rowid BETWEEN :first AND :last;
