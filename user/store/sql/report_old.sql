-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is live at the end and older than :older_ns then, by stack.
SELECT sum(a.live_bytes) AS live_bytes, count(*) AS live_count,
	(SELECT value FROM meta WHERE key = 'span_ns') - min(a.time_ns) AS oldest_ns,
	CASE WHEN o.event = 5 THEN 'page' ELSE 'slab' END AS kind, s.name AS caller,
	group_concat(DISTINCT c.name) AS caches, group_concat(DISTINCT t.comm) AS threads,
	(SELECT text FROM stacks WHERE id = o.stack) AS stack
FROM alloc a JOIN origin o ON o.id = a.origin
LEFT JOIN symbol s ON s.id = o.caller LEFT JOIN cache c ON c.id = o.cache LEFT JOIN task t ON t.id = a.task
WHERE a.state = 0 AND a.backing = 0
	AND a.time_ns < (SELECT value FROM meta WHERE key = 'span_ns') - :older_ns
	AND (:site = '' OR s.name = :site)
GROUP BY kind, o.caller, o.stack
ORDER BY live_bytes DESC, live_count DESC, s.name, o.stack LIMIT :limit;
