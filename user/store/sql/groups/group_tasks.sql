-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each task the number of its group, from 1, and the task that names the group: its process if :by is task, its thread with this
-- name if it is thread. By cpu, the CPUs.
WITH named (id, name) AS (
	SELECT id, iif(:by = 'task', process, thread) FROM task_groups WHERE :by <> 'cpu'
	UNION ALL SELECT id, id FROM cpu WHERE :by = 'cpu')
SELECT id, dense_rank() OVER (ORDER BY name), name FROM named;
