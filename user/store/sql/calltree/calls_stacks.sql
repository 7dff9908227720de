-- SPDX-License-Identifier: GPL-2.0-or-later
-- The prefix tree of stacks, in order.
SELECT id, coalesce(parent, 0), frame FROM stack ORDER BY id;
