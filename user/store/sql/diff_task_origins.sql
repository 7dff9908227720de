-- SPDX-License-Identifier: GPL-2.0-or-later
-- What one allocation of each origin is, and what one freed page of it takes off.
SELECT o.id, e.kind, factor AS allocs, o.bytes_alloc * factor AS bytes,
	CASE e.kind WHEN 'percpu' THEN 0 ELSE (o.bytes_alloc - o.bytes_req) * factor END AS waste_bytes,
	(SELECT value FROM meta WHERE key = 'page_size') * factor AS page_bytes
FROM scale, origin o JOIN event e ON e.id = o.event;
