-- SPDX-License-Identifier: GPL-2.0-or-later
-- Failed page allocations, with the times of the first and the last. A sample has all of them.
SELECT sum(count) AS count, page_order, caller, module, min(first_ns) AS first_ns, max(last_ns) AS last_ns
FROM failed_allocations WHERE page_order IS NOT NULL
GROUP BY page_order, caller, module ORDER BY 1 DESC, page_order DESC, caller, module LIMIT :limit;
