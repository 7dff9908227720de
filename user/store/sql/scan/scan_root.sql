-- SPDX-License-Identifier: GPL-2.0-or-later
-- The page at which a table has its root.
SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = ?;
