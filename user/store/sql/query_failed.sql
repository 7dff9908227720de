-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which allocations failed, by who asked and order.
-- :lines 20  rows at most
SELECT sum(count) AS count, event, page_order, caller, module FROM failed_allocations
GROUP BY event, page_order, caller, module ORDER BY 1 DESC, event, page_order, caller, module LIMIT :lines;
