-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each task its group, which is a number from 1: its process if :by is task, its thread and name if it is thread. By cpu, the CPUs.
SELECT id, dense_rank() OVER (ORDER BY iif(:by = 'task', process, thread)) AS number
FROM task_groups WHERE :by <> 'cpu'
UNION ALL SELECT id, dense_rank() OVER (ORDER BY id) FROM cpu WHERE :by = 'cpu';
