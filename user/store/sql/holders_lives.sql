-- SPDX-License-Identifier: GPL-2.0-or-later
-- All lifetimes of the origins :origins, a JSON array, that back nothing else.
SELECT l.origin, l.task, l.time_ns, l.lifetime_ns, l.ending & 7 AS state, l.parts >> 24 AS pages_freed
FROM lifetime l
WHERE l.origin IN (SELECT value FROM json_each(:origins)) AND l.ending & 24 = 0;
