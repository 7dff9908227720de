-- SPDX-License-Identifier: GPL-2.0-or-later
-- The share of slabs at the end known to the trace: those whose pages were allocated during it. The neighbours of an
-- object in an older slab are unknown. Slab in /proc/meminfo includes the pages of large kmallocs.
SELECT s.slabs, s.bytes AS slab_bytes, m.bytes AS meminfo_slab_bytes, 100.0 * s.bytes / m.bytes AS known_pct, s.objects,
	a.objects - s.objects AS objects_in_older_slabs
FROM (SELECT count(*) AS slabs, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(objects), 0) AS objects FROM slabs_at_end) s,
	(SELECT 1024 * (SELECT kb FROM meminfo WHERE phase = 'end' AND key = 'Slab') AS bytes) m,
	(SELECT coalesce(sum(t.count), 0) AS objects FROM alloc_total t JOIN origin o ON o.id = t.origin
		JOIN event e ON e.id = o.event
		WHERE e.kind = 'slab' AND t.state IN (0, 4) AND (o.cache IS NOT NULL OR
			o.bytes_alloc <= 2 * (SELECT value FROM meta WHERE key = 'page_size'))) a
WHERE s.slabs > 0;
