-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages allocated from blocks of another type, by orders, types and call site. A sample has all of them.
SELECT sum(count) AS count, alloc_order, fallback_order, alloc_migratetype AS alloc_type,
	fallback_migratetype AS fallback_type, caller, module
FROM fragmentation
WHERE :site = '' OR caller = :site
GROUP BY alloc_order, fallback_order, alloc_migratetype, fallback_migratetype, caller, module
ORDER BY 1 DESC, alloc_order, fallback_order, alloc_type, fallback_type, caller, module LIMIT :limit;
