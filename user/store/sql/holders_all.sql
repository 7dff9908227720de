-- SPDX-License-Identifier: GPL-2.0-or-later
-- All lifetimes of what backs nothing else.
SELECT l.origin, l.task, l.time_ns, l.lifetime_ns, l.ending & 7 AS state, l.parts >> 24 AS pages_freed
FROM lifetime l
WHERE l.ending & 24 = 0;
