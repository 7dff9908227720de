-- SPDX-License-Identifier: GPL-2.0-or-later
-- What may lie in slabs: where, and from when to when.
SELECT scan(addr, time_ns, lifetime_ns, origin, ending & 32) FROM lifetime WHERE rowid BETWEEN :first AND :last AND NOT ending & 24;
