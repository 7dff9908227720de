-- SPDX-License-Identifier: GPL-2.0-or-later
-- Failed allocations, by call site and order.
SELECT sum(count) AS count, event, page_order, caller, module, min(first_ns) AS first_ns, max(last_ns) AS last_ns
FROM failed_allocations WHERE :site = '' OR caller = :site
GROUP BY event, page_order, caller, module ORDER BY 1 DESC, event, page_order, caller, module LIMIT :limit;
