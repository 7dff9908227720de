-- SPDX-License-Identifier: GPL-2.0-or-later
-- The module that was unloaded last; NULL: none was. One row.
SELECT (SELECT name FROM module WHERE unload_ns IS NOT NULL ORDER BY unload_ns DESC, name LIMIT 1);
