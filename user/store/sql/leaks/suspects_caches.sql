-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each origin whose cache or stack tells how the kernel frees its memory. reclaimable: when memory is short; the letters between : and -
-- are the kernel's cache flags, where a is SLAB_RECLAIM_ACCOUNT. delay: 1: an object for an area of vmalloc space, which is unmapped
-- together with others; 2: other kernel-owned memory, and a socket in TIME_WAIT, which takes a minute, if the trace is not
-- twice as long.
WITH reclaimable (name) AS MATERIALIZED (
	SELECT name FROM cache_alias WHERE slabs LIKE ':%-%' AND instr(substr(slabs, 1, instr(slabs, '-')), 'a') > 0),
kinds (id, reclaimable, is_socket) AS MATERIALIZED (
	SELECT id, name IN (SELECT name FROM reclaimable),
		name GLOB 'tw_sock_*' AND (SELECT value FROM meta WHERE key = 'span_ns') < 120000000000
	FROM cache)
SELECT o.id, coalesce(k.reclaimable, 0) AS reclaimable, CASE
		WHEN kept.of_area THEN 1
		WHEN kept.origin OR k.is_socket THEN 2
		ELSE 0 END AS delay
FROM origin o LEFT JOIN kinds k ON k.id = o.cache LEFT JOIN kernel_origin kept ON kept.origin = o.id
WHERE k.reclaimable OR k.is_socket OR kept.origin;
