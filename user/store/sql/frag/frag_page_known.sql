-- SPDX-License-Identifier: GPL-2.0-or-later
-- The share of memory in use at the end that was allocated as pages during the trace.
SELECT live.bytes AS live_bytes, 1024 * used.kb AS in_use_bytes, 100.0 * live.bytes / (1024 * used.kb) AS known_pct
FROM (SELECT (SELECT factor FROM scale) * coalesce(sum(t.count * o.bytes_alloc -
		t.pages_freed * (SELECT value FROM meta WHERE key = 'page_size')), 0) AS bytes
	FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
	WHERE e.kind = 'page' AND t.state = 0) live,
	(SELECT (SELECT kb FROM meminfo WHERE phase = 'end' AND key = 'MemTotal') -
		(SELECT kb FROM meminfo WHERE phase = 'end' AND key = 'MemFree') AS kb) used;
