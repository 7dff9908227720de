-- SPDX-License-Identifier: GPL-2.0-or-later
-- Page allocations that failed. A sample has all of them.
SELECT sum(count) AS count, page_order, caller, module
FROM failed_allocations WHERE page_order IS NOT NULL
GROUP BY page_order, caller, module ORDER BY 1 DESC, page_order DESC, caller, module LIMIT :limit;
