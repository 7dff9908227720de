-- SPDX-License-Identifier: GPL-2.0-or-later
-- What --thread takes: names of threads, their ids, and both.
SELECT comm FROM task WHERE comm IS NOT NULL
UNION SELECT CAST(tid AS TEXT) FROM task
UNION SELECT comm || '-' || tid FROM task WHERE comm IS NOT NULL;
