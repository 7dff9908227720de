-- SPDX-License-Identifier: GPL-2.0-or-later
-- Allocations that were certainly live at ?1 ns. Allocations freed unseen, or being freed by kfree_rcu() when the
-- trace ended, have no known end, and never count as live.
SELECT * FROM allocations
WHERE time_ns <= ?1 AND (state_id = 0 OR state_id IN (1, 3) AND time_ns + lifetime_ns > ?1)
