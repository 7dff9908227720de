-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each origin: the bytes and waste of one allocation, the bytes of a freed page, and the sampling factor.
SELECT o.id, e.kind, coalesce(o.bytes_alloc, 0) AS bytes,
	CASE e.kind WHEN 'percpu' THEN 0 ELSE coalesce(o.bytes_alloc - o.bytes_req, 0) END AS waste_bytes,
	(SELECT value FROM meta WHERE key = 'page_size') AS page_bytes, factor
FROM scale, origin o JOIN event e ON e.id = o.event;
