-- SPDX-License-Identifier: GPL-2.0-or-later
-- The lifetime of each allocation.
SELECT scan(origin, task, lifetime_ns, ending) FROM lifetime WHERE rowid BETWEEN :first AND :last;
