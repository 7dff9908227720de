-- SPDX-License-Identifier: GPL-2.0-or-later
-- When each came and went, over the whole trace also where only an interval's allocations are asked about.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts)
FROM main.lifetime WHERE rowid BETWEEN :first AND :last;
