-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of groups by stack, for text.
SELECT figures.*, kind, name AS stack FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
