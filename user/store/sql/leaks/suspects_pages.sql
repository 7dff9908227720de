-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each origin of pages: their order, and whether the kernel frees them when memory is short: pages of the migrate types
-- movable (the page cache, memory of processes) and reclaimable (slabs of caches with a shrinker), and of the page cache by
-- their stack, as those of links and directories are neither: 64 is KEEPER_CACHE.
SELECT o.id, o.page_order, o.migratetype IN (1, 2) OR coalesce(k.keeps & 64, 0)
FROM origin o JOIN event e ON e.id = o.event LEFT JOIN keeper k ON k.origin = o.id
WHERE e.kind = 'page' AND o.page_order BETWEEN 0 AND 30;
