-- SPDX-License-Identifier: GPL-2.0-or-later
-- Live allocations at the end that are older than :older_ns, by stack: of :kind; if that is empty, slab objects and pages.
SELECT sum(bytes_left) * (SELECT factor FROM scale) AS live_bytes,
	count(*) * (SELECT factor FROM scale) AS live_count,
	(SELECT value FROM meta WHERE key = 'span_ns') - min(time_ns) AS oldest_ns,
	kind, caller, group_concat(DISTINCT cache) AS caches, group_concat(DISTINCT comm) AS threads,
	(SELECT text FROM stacks WHERE id = stack) AS stack
FROM live
WHERE CASE :kind WHEN '' THEN kind IN ('slab', 'page') ELSE kind = :kind END AND backing_id = 0 AND (:site = '' OR caller = :site)
	AND time_ns < (SELECT value FROM meta WHERE key = 'span_ns') - :older_ns
GROUP BY kind, caller, live.stack
ORDER BY live_bytes DESC, live_count DESC, caller, live.stack LIMIT :limit;
