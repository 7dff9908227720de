-- SPDX-License-Identifier: GPL-2.0-or-later
-- The totals of the lifetimes that restrict_lifetime.sql keeps.
CREATE TEMP TABLE alloc_total AS
SELECT origin, state, backing, count(*) AS count, sum(iif(state = 0, coalesce(pages_freed, 0), 0)) AS pages_freed
FROM alloc GROUP BY 1, 2, 3;
