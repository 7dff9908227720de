-- SPDX-License-Identifier: GPL-2.0-or-later
-- Threads by the live memory that they allocated.
-- :kind slab  slab, page, percpu or vmalloc
-- :lines 20  maximum number of rows
WITH held AS (
	SELECT a.task, count(*) AS count, sum(o.bytes_alloc - coalesce(a.pages_freed, 0) *
		(SELECT value FROM meta WHERE key = 'page_size')) AS bytes
	FROM alloc a
	JOIN origin o ON o.id = a.origin
	JOIN event e ON e.id = o.event
	WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND a.backing = 0
		AND e.kind = :kind
	GROUP BY 1)
SELECT sum(bytes) * factor AS live_bytes, sum(count) * factor AS live_count, t.comm, t.tgid,
	iif(max(t.id IN (SELECT id FROM recorder_tasks)), 'the recorder', NULL) AS role
FROM scale, held h JOIN task t ON t.id = h.task
GROUP BY t.comm, t.tgid ORDER BY live_bytes DESC, live_count DESC, t.comm, t.tgid LIMIT :lines;
