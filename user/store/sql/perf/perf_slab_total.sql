-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of slab objects, as in perf kmem. cross: requested from another node than their CPU's, which is
-- known only with a single node; otherwise NULL.
SELECT coalesce(sum(t.count * o.bytes_req), 0) * (SELECT factor FROM scale) AS bytes_requested,
	coalesce(sum(t.count * o.bytes_alloc), 0) * (SELECT factor FROM scale) AS bytes_allocated,
	coalesce(sum((t.state IN (1, 2, 3)) * t.count * o.bytes_alloc), 0) * (SELECT factor FROM scale) AS bytes_freed,
	coalesce(sum(t.count), 0) * (SELECT factor FROM scale) AS allocs,
	CASE (SELECT count(DISTINCT node) FROM buddyinfo) WHEN 1 THEN coalesce(sum(t.count * (o.node IS NOT NULL AND
		o.node <> (SELECT min(node) FROM buddyinfo))), 0) * (SELECT factor FROM scale) END AS cross_allocs
FROM alloc_total t JOIN temp.perf_slab_origins o ON o.id = t.origin;
