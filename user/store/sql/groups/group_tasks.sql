-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each task its group, which is a number from 1: its process if :by is task, its thread and name if it is thread, otherwise its
-- thread. By cpu, the CPUs. −1: left out, as the recorder is of :suspects that are not tasks; it writes the trace. If groups are tasks it is one, marked.
WITH first_of (id, first) AS (
	SELECT id, CASE :by WHEN 'task' THEN process WHEN 'thread' THEN thread ELSE min(id) OVER (PARTITION BY tid) END
	FROM task_groups JOIN (SELECT id AS task, tid FROM task) ON task = id)
SELECT id, iif(:suspects AND :by NOT IN ('task', 'thread') AND id IN (SELECT id FROM recorder_tasks), -1,
	dense_rank() OVER (ORDER BY first)) AS number
FROM first_of WHERE :by <> 'cpu'
UNION ALL SELECT id, dense_rank() OVER (ORDER BY id) FROM cpu WHERE :by = 'cpu';
