-- SPDX-License-Identifier: GPL-2.0-or-later
-- By call site, cache and size class, with a better fit. fit: a cache of this size, in slabs of 8 pages; for large kmallocs
-- as many pages as needed. fit_waste_bytes: the waste of the same allocations with that fit, including the rest of each
-- slab; both are NULL if it is not smaller. less: the largest request exceeds the class below by this many bytes; NULL if
-- that is more than an eighth.
WITH page (size) AS (SELECT value FROM meta WHERE key = 'page_size'),
size AS (
	SELECT f.function AS caller, f.module, c.name AS cache, o.bytes_alloc AS allocated, o.bytes_req AS requested,
		sum(t.count) AS count, sum(CASE t.state WHEN 0 THEN t.count ELSE 0 END) AS live
	FROM alloc_total t
	JOIN origin o ON o.id = t.origin
	JOIN event e ON e.id = o.event
	LEFT JOIN frame f ON f.id = o.caller
	LEFT JOIN cache c ON c.id = o.cache
	WHERE e.name = 'kmalloc' AND o.bytes_req < 0xffffffff
	GROUP BY 1, 2, 3, 4, 5),
site AS (
	SELECT caller, module, cache, allocated, min(requested) AS least, max(requested) AS most, sum(count) AS count,
		sum(live) AS live_count, sum(live * (allocated - requested)) AS live_waste,
		sum(count * (allocated - requested)) AS waste, sum(count * requested) AS requested,
		sum(count * ((requested + page.size - 1) / page.size * page.size - requested)) AS pages_waste,
		CASE WHEN allocated > 2 * page.size THEN (max(requested) + page.size - 1) / page.size * page.size
			ELSE (max(requested) + 7) & ~7 END AS fit,
		CASE allocated WHEN 96 THEN 64 WHEN 128 THEN 96 WHEN 192 THEN 128 WHEN 256 THEN 192
			ELSE allocated / 2 END AS below
	FROM size, page GROUP BY caller, module, cache, allocated),
fitted AS (
	SELECT site.*, CASE WHEN allocated > 2 * page.size THEN pages_waste
		ELSE CAST(round(1.0 * count * (8 * page.size) / max(1, 8 * page.size / max(8, fit))) AS INTEGER) - requested
		END AS fit_waste
	FROM site, page)
SELECT waste * factor AS waste_bytes, live_waste * factor AS live_waste_bytes,
	100.0 * waste / (waste + requested) AS waste_pct, live_count * factor AS live_count, count * factor AS count,
	caller, module, cache, allocated, least AS requested_least, most AS requested_most,
	CASE WHEN fit_waste < waste THEN fit END AS fit,
	CASE WHEN fit_waste < waste THEN fit_waste * factor END AS fit_waste_bytes,
	CASE WHEN most > below AND 8 * (most - below) <= below THEN most - below END AS less
FROM fitted, scale WHERE waste > 0
ORDER BY waste DESC, live_waste DESC, caller, module, cache, allocated LIMIT :limit;
