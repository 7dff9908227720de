-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names for the groups in slab_sites, with pinned byte-ns, object-ns, and room-ns and object-ns of all these slabs.
SELECT CAST(round(pinned / (SELECT value FROM meta WHERE key = 'span_ns')) AS INTEGER) AS average_pinned_bytes, slabs, objects,
	100.0 * slab_object_ns / room_ns AS live_pct, CAST(object_ns / objects AS INTEGER) AS average_object_life_ns,
	f.function AS caller, f.module, c.name AS cache,
	CASE account WHEN 2 THEN 'SReclaimable' WHEN 1 THEN 'SUnreclaim' END AS account
FROM temp.slab_sites r
JOIN origin o ON o.id = r.origin
LEFT JOIN frame f ON f.id = o.caller
LEFT JOIN cache c ON c.id = r.cache
ORDER BY average_pinned_bytes DESC, objects DESC, caller, f.module, c.name LIMIT :limit;
