-- SPDX-License-Identifier: GPL-2.0-or-later
-- The columns by which lifetimes are summed up.
SELECT scan(origin, ending, parts) FROM lifetime WHERE rowid BETWEEN :first AND :last;
