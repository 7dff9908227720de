-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the tracer itself allocated in the trace and holds at its end, and its recorder, unless groups by :by are tasks or threads; holders_origins
-- and holders_recorder leave it out.
SELECT sum(o.bytes_alloc - (l.parts >> 24) * (SELECT value FROM meta WHERE key = 'page_size')) * factor AS live_bytes,
	count(*) * factor AS live_count, e.kind
FROM scale, lifetime l JOIN origin o ON o.id = l.origin JOIN event e ON e.id = o.event
WHERE l.rowid >= (SELECT value FROM meta WHERE key = 'first_left') AND l.ending & 31 = 0
	AND (l.origin IN (SELECT origin FROM tracer_origin) OR (:by NOT IN ('task', 'thread') AND l.task IN (SELECT id FROM recorder_tasks)))
GROUP BY e.kind ORDER BY e.kind = 'vmalloc', e.kind = 'percpu', e.kind = 'page';
