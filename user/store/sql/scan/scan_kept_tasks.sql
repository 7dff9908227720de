-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tasks to which the connection is restricted.
SELECT id FROM temp.kept_task;
