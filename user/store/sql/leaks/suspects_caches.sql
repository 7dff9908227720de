-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each origin whose cache determines how the kernel frees its objects. reclaimable: when memory is short; the letters between : and -
-- are the kernel's cache flags, where a is SLAB_RECLAIM_ACCOUNT. delay: 1: for an area of vmalloc space, which is unmapped together with
-- others; not all in vmap_area, with which other caches may be merged; 2: a socket in TIME_WAIT, which takes a minute, if the trace is not twice as long.
WITH reclaimable (name) AS MATERIALIZED (
	SELECT name FROM cache_alias WHERE slabs LIKE ':%-%' AND instr(substr(slabs, 1, instr(slabs, '-')), 'a') > 0),
kinds (id, reclaimable, delay) AS MATERIALIZED (
	SELECT id, name IN (SELECT name FROM reclaimable), CASE
		WHEN name = 'vmap_area' THEN 1
		WHEN name GLOB 'tw_sock_*' AND (SELECT value FROM meta WHERE key = 'span_ns') < 120000000000 THEN 2
		ELSE 0 END
	FROM cache)
SELECT o.id, k.reclaimable, k.delay
FROM origin o JOIN kinds k ON k.id = o.cache
WHERE k.reclaimable OR (k.delay AND (k.delay <> 1 OR o.id IN (SELECT origin FROM kernel_origins)));
