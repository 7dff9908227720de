-- SPDX-License-Identifier: GPL-2.0-or-later
-- The part of the growth of Slab in /proc/meminfo that the trace explains: pages that slabs or
-- large kmallocs allocated and hold at the end, minus freed ones from before the trace. If the
-- oldest events are missing, the start's text is older than the first event.
WITH page (bytes) AS (SELECT value FROM meta WHERE key = 'page_size'),
grown (kb) AS (
	SELECT (SELECT kb FROM meminfo WHERE phase = 'end' AND key = 'Slab') -
	       (SELECT kb FROM meminfo WHERE phase = 'start' AND key = 'Slab' AND
			NOT EXISTS (SELECT 1 FROM meta WHERE key = 'late_cpu'))),
taken (bytes) AS (
	SELECT (SELECT factor FROM scale) *
		coalesce(sum(t.count * o.bytes_alloc - t.pages_freed * (SELECT bytes FROM page)), 0)
	FROM alloc_total t JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	WHERE e.kind = 'page' AND t.backing IN (1, 2) AND t.state = 0),
given (bytes) AS (
	SELECT (SELECT factor FROM scale) * coalesce(sum(u.bytes), 0) FROM unmatched u JOIN origin o ON o.id = u.origin
	JOIN event e ON e.id = o.event
	WHERE e.kind = 'page' AND u.backing IN (1, 2))
SELECT 1024 * grown.kb AS slab_growth_bytes, taken.bytes AS taken_bytes, given.bytes AS given_bytes,
	taken.bytes - given.bytes AS explained_bytes,
	CASE WHEN grown.kb <> 0 THEN 100.0 * (taken.bytes - given.bytes) / (1024 * grown.kb) END AS explained_pct
FROM grown, taken, given;
