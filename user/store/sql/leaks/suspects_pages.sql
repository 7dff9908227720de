-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each origin of pages: their order, and whether the kernel frees them when memory is short: pages of the migrate types
-- movable (the page cache, memory of processes) and reclaimable (slabs of caches with a shrinker).
SELECT o.id, o.page_order, o.migratetype IN (1, 2)
FROM origin o JOIN event e ON e.id = o.event
WHERE e.kind = 'page' AND o.page_order BETWEEN 0 AND 30;
