-- SPDX-License-Identifier: GPL-2.0-or-later
-- The name of each task: its process's if :by is task, its own if it is thread. If it is cpu, the
-- CPUs.
SELECT g.id, t.comm FROM task_groups g JOIN task t ON t.id = iif(:by = 'task', g.process, g.id) WHERE :by <> 'cpu'
UNION ALL SELECT id, CAST(id AS TEXT) FROM cpu WHERE :by = 'cpu';
