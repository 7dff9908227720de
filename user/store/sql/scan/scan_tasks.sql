-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations by task, and their remaining pages.
SELECT scan(origin, task, ending, parts) FROM lifetime WHERE rowid BETWEEN :first AND :last;
