-- SPDX-License-Identifier: GPL-2.0-or-later
-- Figures of groups by call site.
SELECT figures.*, caller AS holder, module
FROM temp.figures JOIN temp.group_names ON nr = figures.rowid ORDER BY nr;
