-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of groups, with their names.
SELECT figures.*, kind, name FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
