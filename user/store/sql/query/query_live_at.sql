-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live memory at a time, by call site.
-- :at_ns 1s  time after the first event
-- :lines 20  maximum number of rows
SELECT e.kind, sum(l.bytes) * factor AS live_bytes, sum(l.count) * factor AS live_count,
	f.function AS caller, f.module
FROM scale, (
	SELECT origin, count(*) AS count, sum(CASE WHEN :at_ns >= (SELECT value FROM meta WHERE key = 'span_ns')
		THEN bytes_left ELSE bytes_alloc END) AS bytes
	FROM live_at(:at_ns / 1e9) WHERE backing_id = 0 GROUP BY 1) l
JOIN origin o ON o.id = l.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
GROUP BY e.kind, f.function, f.module ORDER BY live_bytes DESC, live_count DESC, e.kind, caller, f.module LIMIT :lines;
