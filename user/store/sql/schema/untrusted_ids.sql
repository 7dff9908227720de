-- SPDX-License-Identifier: GPL-2.0-or-later
-- The ids that are used as array indexes, by table, in the order in which they are stored.
SELECT 'origin', id FROM origin
UNION ALL SELECT 'task', id FROM task
UNION ALL SELECT 'frame', id FROM frame
UNION ALL SELECT 'symbol', id FROM symbol
UNION ALL SELECT 'cache', id FROM cache
UNION ALL SELECT 'stack', id FROM stack
UNION ALL SELECT 'user_frame', id FROM user_frame
UNION ALL SELECT 'user_stack', id FROM user_stack;
