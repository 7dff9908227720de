-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which task allocated what, and what is left of it.
SELECT scan(origin, task, ending, parts) FROM lifetime WHERE rowid BETWEEN :first AND :last;
