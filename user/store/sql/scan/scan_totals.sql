-- SPDX-License-Identifier: GPL-2.0-or-later
-- What lifetimes are summed up by.
SELECT scan(origin, ending, parts) FROM lifetime WHERE rowid BETWEEN :first AND :last;
