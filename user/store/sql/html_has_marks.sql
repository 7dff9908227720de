-- SPDX-License-Identifier: GPL-2.0-or-later
-- 1 if the database knows of marks.
SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = 'marks';
