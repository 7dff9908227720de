-- SPDX-License-Identifier: GPL-2.0-or-later
-- What else the trace can be asked for: of the module that was unloaded last (NULL: none was), of booting; one row.
SELECT (SELECT name FROM module WHERE unload_ns IS NOT NULL ORDER BY unload_ns DESC, name LIMIT 1) AS module,
	EXISTS (SELECT 1 FROM frame WHERE function = 'kernel_init_freeable') AS boot;
