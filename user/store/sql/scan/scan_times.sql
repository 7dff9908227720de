-- SPDX-License-Identifier: GPL-2.0-or-later
-- When each came and went.
SELECT scan(origin, time_ns, task, lifetime_ns, ending, parts)
FROM lifetime WHERE rowid BETWEEN :first AND :last;
