-- SPDX-License-Identifier: GPL-2.0-or-later
-- Losses by CPU and reason. other: reasons of a newer kernel part. without_stack and without_cache: only a detail was lost,
-- not the event; names: only the name of a thread.
SELECT c.id AS cpu, c.events AS recorded,
	sum(l.count) FILTER (WHERE l.reason = 'buffer_full') AS buffer_full,
	sum(l.count) FILTER (WHERE l.reason = 'nmi') AS nmi,
	sum(l.count) FILTER (WHERE l.reason = 'recursion') AS recursion,
	sum(l.count) FILTER (WHERE l.reason = 'missing') AS subbufs_missing,
	sum(l.count) FILTER (WHERE l.reason = 'stack_full') AS without_stack,
	sum(l.count) FILTER (WHERE l.reason = 'cache_full') AS without_cache,
	sum(l.count) FILTER (WHERE l.reason = 'name') AS names,
	coalesce(sum(l.count) FILTER (WHERE l.reason GLOB 'reason_*'), 0) AS other
FROM cpu c LEFT JOIN loss l ON l.cpu = c.id
GROUP BY c.id ORDER BY c.id;
