-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live memory at a time, by call site.
-- :at_ns 1s  time after the first event
-- :lines 20  maximum number of rows
-- How much of a block is left is known at the end of the trace alone.
SELECT e.kind, sum(l.count * o.bytes_alloc - iif(:at_ns >= (SELECT value FROM meta WHERE key = 'span_ns'),
		l.pages_freed * (SELECT value FROM meta WHERE key = 'page_size'), 0)) * factor AS live_bytes,
	sum(l.count) * factor AS live_count, f.function AS caller, f.module
FROM scale, live_totals(:at_ns) l
JOIN origin o ON o.id = l.origin
JOIN event e ON e.id = o.event
LEFT JOIN frame f ON f.id = o.caller
GROUP BY e.kind, f.function, f.module ORDER BY live_bytes DESC, live_count DESC, e.kind, caller, f.module LIMIT :lines;
