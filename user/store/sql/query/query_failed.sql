-- SPDX-License-Identifier: GPL-2.0-or-later
-- Failed allocations: caller, flags, first and last time, tasks and stack.
-- :lines 20  maximum number of rows
WITH asked AS (
	SELECT sum(count) AS count, event, page_order, caller, module, gfp, min(first_ns) AS first_ns, max(last_ns) AS last_ns,
		group_concat(DISTINCT comm) AS tasks, stack
	FROM failed_allocations GROUP BY event, page_order, caller, module, gfp, stack
	ORDER BY count DESC, event, page_order, caller, module, gfp, stack LIMIT :lines)
SELECT count, event, page_order, caller, module, first_ns, last_ns, tasks, gfp, stack(stack) AS stack
FROM asked ORDER BY count DESC, event, page_order, caller, module, gfp, asked.stack;
