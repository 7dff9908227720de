-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of groups by stack: its text, or without :text its number.
SELECT figures.*, caller AS holder, module,
	CASE WHEN :text THEN (SELECT text FROM stacks WHERE id = stack) ELSE CAST(stack AS TEXT) END AS stack
FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
