-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each task the first one of its group: its process if :by is task, its thread and name if it is thread, otherwise its thread.
SELECT id, CASE :by WHEN 'task' THEN process WHEN 'thread' THEN thread ELSE min(id) OVER (PARTITION BY tid) END
FROM task_groups JOIN (SELECT id AS task, tid FROM task) ON task = id ORDER BY id;
