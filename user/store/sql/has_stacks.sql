-- SPDX-License-Identifier: GPL-2.0-or-later
-- Whether any event has a stack, or there is no event at all.
SELECT EXISTS (SELECT 1 FROM stack) OR NOT EXISTS (SELECT 1 FROM origin) AS has_stacks;
