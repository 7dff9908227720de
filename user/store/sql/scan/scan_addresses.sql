-- SPDX-License-Identifier: GPL-2.0-or-later
-- Addresses of allocations.
SELECT scan(origin, addr, time_ns, place, free_place, ending) FROM lifetime WHERE rowid BETWEEN :first AND :last;
