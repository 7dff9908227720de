-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations that remain at the end, and their addresses.
SELECT scan(origin, addr, time_ns, ending) FROM lifetime
WHERE rowid BETWEEN max(:first, (SELECT value FROM meta WHERE key = 'first_left')) AND :last;
