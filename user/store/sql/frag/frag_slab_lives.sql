-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names for the groups in slab_caches, with byte-ns of slabs, room-ns, object-ns, and ns. Memory used for half of the trace counts half.
SELECT CAST(round(byte_ns / span) AS INTEGER) AS average_slab_bytes,
	CAST(round(byte_ns * (1 - min(1.0, object_ns / room_ns)) / span) AS INTEGER) AS average_idle_bytes,
	100.0 * min(1.0, object_ns / room_ns) AS live_pct, slabs, below_25, below_50, below_75, above_75,
	CAST(life_ns / slabs AS INTEGER) AS average_life_ns, c.name AS cache,
	CASE account WHEN 2 THEN 'SReclaimable' WHEN 1 THEN 'SUnreclaim' END AS account
FROM temp.slab_caches r, (SELECT value AS span FROM meta WHERE key = 'span_ns')
LEFT JOIN cache c ON c.id = r.cache
ORDER BY average_idle_bytes DESC, average_slab_bytes DESC, c.name, account LIMIT :limit;
