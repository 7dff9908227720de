-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each task with the number of its process and name, if :by is task.
SELECT id, dense_rank() OVER (ORDER BY tgid, comm) AS holder FROM task WHERE :by = 'task';
