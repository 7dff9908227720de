-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations that may lie in slabs: address, start and end.
SELECT scan(addr, time_ns, lifetime_ns, origin, ending & 32) FROM lifetime WHERE rowid BETWEEN :first AND :last AND NOT ending & 24;
