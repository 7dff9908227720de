-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages between the buddy lists and those of CPUs, and those that fell back to another type.
SELECT event, page_order, migratetype, refill, count * factor AS count, pages * factor AS pages
FROM page_moves, scale
WHERE event <> 'extfrag'
ORDER BY event, page_order, migratetype, refill;
