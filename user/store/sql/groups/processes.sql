-- SPDX-License-Identifier: GPL-2.0-or-later
-- What --process takes: names of processes, their ids, and both.
WITH process (comm, id) AS (
	SELECT DISTINCT t.comm, coalesce(t.tgid, t.tid) FROM task_groups g JOIN task t ON t.id = g.process)
SELECT comm FROM process WHERE comm IS NOT NULL
UNION SELECT CAST(id AS TEXT) FROM process
UNION SELECT comm || '-' || id FROM process WHERE comm IS NOT NULL;
