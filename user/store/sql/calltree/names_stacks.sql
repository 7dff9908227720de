-- SPDX-License-Identifier: GPL-2.0-or-later
-- The prefix tree of stacks.
SELECT id, parent, frame FROM stack;
