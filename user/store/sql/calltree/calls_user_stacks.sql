-- SPDX-License-Identifier: GPL-2.0-or-later
-- The prefix tree of user stacks, in order.
SELECT id, coalesce(parent, 0), frame FROM user_stack ORDER BY id;
