-- SPDX-License-Identifier: GPL-2.0-or-later
-- All tables, views, indexes and triggers, in order of the name.
SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY name COLLATE BINARY;
