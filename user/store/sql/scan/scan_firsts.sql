-- SPDX-License-Identifier: GPL-2.0-or-later
-- When each was allocated.
SELECT scan(origin, time_ns) FROM lifetime WHERE rowid BETWEEN :first AND :last;
