-- SPDX-License-Identifier: GPL-2.0-or-later
-- The pages of slabs, and what lies in them: address or frame, start and end.
SELECT scan(addr, time_ns, lifetime_ns, origin, ending) FROM lifetime WHERE rowid BETWEEN :first AND :last;
