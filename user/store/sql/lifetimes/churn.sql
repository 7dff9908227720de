-- SPDX-License-Identifier: GPL-2.0-or-later
-- Call sites by allocations per second, and how many of them were freed within :within further allocations of their thread;
-- :temporary: sorted by that number.
WITH early AS (
	SELECT e.kind, f.function, f.module, sum(t.count) AS count
	FROM temporary_count t JOIN event e ON e.id = t.event LEFT JOIN frame f ON f.id = t.caller
	WHERE t.within <= :within GROUP BY 1, 2, 3
)
SELECT CAST(round(allocs * factor * 1e9 / :span) AS INTEGER)
		AS allocs_per_s,
	allocs * factor AS allocs, bytes_total * factor AS allocated_bytes,
	coalesce(early.count, 0) * factor AS temporary, coalesce(early.count, 0) * 100.0 / allocs AS temporary_pct,
	c.kind, c.caller, c.module
FROM call_sites c JOIN scale
LEFT JOIN early ON early.kind = c.kind AND early.function IS c.caller AND early.module IS c.module
WHERE (:site = '' OR c.caller = :site) AND (NOT :temporary OR early.count > 0)
ORDER BY iif(:temporary, early.count, c.allocs) DESC, c.caller, c.module, c.kind LIMIT :limit;
