-- SPDX-License-Identifier: GPL-2.0-or-later
-- Memory passed to kfree_rcu(): calls; how many of these were seen to be freed, or inferred later; and memory
-- still being freed at the end. No row without calls.
SELECT c.calls * factor AS calls,
	(SELECT value FROM meta WHERE key = 'freed_rcu') * factor AS freed_unseen,
	(SELECT coalesce(sum(freeing_count), 0) FROM call_sites) * factor AS freeing_count,
	(SELECT coalesce(sum(freeing_bytes), 0) FROM call_sites) * factor AS freeing_bytes
FROM (SELECT value AS calls FROM meta WHERE key = 'given_to_rcu') c, scale
WHERE c.calls > 0;
