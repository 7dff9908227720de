-- SPDX-License-Identifier: GPL-2.0-or-later
-- Start, end and free of each allocation.
SELECT scan(origin, time_ns, lifetime_ns, free_origin, ending, parts) FROM lifetime WHERE rowid BETWEEN :first AND :last;
