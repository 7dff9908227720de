-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each task the first one of its group: of the same name and thread if :by is task, of the same thread if not.
SELECT id, min(id) OVER (PARTITION BY tid, CASE :by WHEN 'task' THEN comm END) FROM task ORDER BY id;
