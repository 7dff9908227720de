-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages that are live at the end in a pageblock, or between two page frames: each block of pages in the trace, with its owner and use.
-- :first_pfn most  first page frame, as 0x1f400 or 128000; most: of the pageblock with most unmovable pages
-- :end_pfn pageblock  page frame after the last; pageblock: the end of the first one's
-- :lines 50  maximum number of rows
WITH unit (pages) AS (SELECT value / 8 FROM meta WHERE key = 'page_size'),
given (first) AS MATERIALIZED (SELECT CASE :first_pfn
	WHEN 'most' THEN (SELECT pfn FROM pageblocks ORDER BY unmovable_pages DESC, pfn LIMIT 1) ELSE :first_pfn + 0 END),
asked (first, behind) AS MATERIALIZED (
	SELECT CASE :end_pfn WHEN 'pageblock' THEN given.first / pages * pages ELSE given.first END,
		CASE :end_pfn WHEN 'pageblock' THEN given.first / pages * pages + pages ELSE :end_pfn + 0 END FROM unit, given)
SELECT printf('0x%x', a.addr) AS pfn, 1 << o.page_order AS pages, nullif(a.pages_freed, 0) AS freed, m.name AS migratetype,
	b.name AS backing, (SELECT value FROM meta WHERE key = 'span_ns') - a.time_ns AS age_ns, f.function AS caller,
	t.comm, stack(o.stack) AS stack
FROM asked, alloc a
JOIN origin o ON o.id = a.origin
JOIN event e ON e.id = o.event
JOIN backing b ON b.id = a.backing
JOIN task t ON t.id = a.task
LEFT JOIN migratetype m ON m.id = o.migratetype
LEFT JOIN frame f ON f.id = o.caller
WHERE a.id >= (SELECT value FROM meta WHERE key = 'first_left') AND a.state = 0 AND e.name = 'page_alloc'
	AND a.addr < asked.behind AND a.addr + (1 << o.page_order) > asked.first
ORDER BY a.addr LIMIT :lines;
