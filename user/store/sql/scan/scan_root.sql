-- SPDX-License-Identifier: GPL-2.0-or-later
-- The root page of a table.
SELECT rootpage FROM main.sqlite_schema WHERE type = 'table' AND name = ?;
