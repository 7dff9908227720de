-- SPDX-License-Identifier: GPL-2.0-or-later
-- The name of each task.
SELECT id, comm FROM task;
