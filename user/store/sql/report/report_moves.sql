-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages moved between the buddy lists and the per-CPU lists. A sample has all of them.
SELECT event, page_order, migratetype, refill, count, pages
FROM page_moves
WHERE event IN ('zone_locked', 'pcpu_drain')
ORDER BY event, page_order, migratetype, refill;
