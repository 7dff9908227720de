-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each task with the number of its group, and the first one of that, if :by is task or thread.
WITH first_of (id, first) AS (SELECT id, iif(:by = 'task', process, thread) FROM task_groups WHERE :by IN ('task', 'thread'))
SELECT id, dense_rank() OVER (ORDER BY first) AS holder, first FROM first_of;
