-- SPDX-License-Identifier: GPL-2.0-or-later
-- What was surely live at ?1 ns. What was freed unseen, and what kfree_rcu() was to free when the trace ended, tells
-- no end, and counts as live at no time.
SELECT * FROM allocations
WHERE time_ns <= ?1 AND (state_id = 0 OR state_id IN (1, 3) AND time_ns + lifetime_ns > ?1)
