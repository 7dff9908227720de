-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of groups by what is neither a call site nor a stack.
SELECT figures.*, name AS holder
FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
