-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query user-stacks has no rows.
SELECT 'the trace has no user stacks: this needs record --user-stacks'
WHERE NOT EXISTS (SELECT 1 FROM origin WHERE user_stack IS NOT NULL);
