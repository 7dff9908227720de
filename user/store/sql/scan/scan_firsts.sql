-- SPDX-License-Identifier: GPL-2.0-or-later
-- Start of each allocation.
SELECT scan(origin, time_ns) FROM lifetime WHERE rowid BETWEEN :first AND :last;
