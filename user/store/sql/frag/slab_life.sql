-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages of slabs, and the objects in them: address or page frame, start and end.
SELECT scan(addr, time_ns, lifetime_ns, origin, ending) FROM lifetime WHERE rowid BETWEEN :first AND :last;
