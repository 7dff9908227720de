-- SPDX-License-Identifier: GPL-2.0-or-later
-- Every allocation: which task and origin, whether it is live, and how many of its pages were freed if so.
SELECT task, origin, state = 0 AS live, CASE state WHEN 0 THEN coalesce(pages_freed, 0) ELSE 0 END AS pages_freed
FROM alloc WHERE backing = 0;
