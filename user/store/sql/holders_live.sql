-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is live at the end and backs nothing else.
SELECT l.origin, l.task, l.time_ns, l.lifetime_ns, l.ending & 7 AS state, l.parts >> 24 AS pages_freed
FROM lifetime l
WHERE l.rowid >= (SELECT value FROM meta WHERE key = 'first_left') AND l.ending & 31 = 0;
