-- SPDX-License-Identifier: GPL-2.0-or-later
-- Unmatched events, by class: before: freed, but allocated before the trace or unseen; unseen:
-- freed, and certainly allocated unseen; undone: freed by an allocation that then failed, so no longer unmatched; free unseen: allocated, and freed unseen; failed: no memory
-- (without an address, so a sample has all of them). Bytes of 0 are unknown, so they are NULL.
SELECT event, class || ifnull(', ' || backing || ' pages', '') AS class,
	sum(count) * (SELECT factor FROM scale) AS count, nullif(sum(bytes), 0) * (SELECT factor FROM scale) AS bytes
FROM unmatched_frees GROUP BY 1, 2
UNION ALL
SELECT e.name, 'free unseen', sum(t.count) * (SELECT factor FROM scale),
	sum(t.count * o.bytes_alloc) * (SELECT factor FROM scale)
FROM alloc_total t JOIN origin o ON o.id = t.origin JOIN event e ON e.id = o.event
WHERE t.state = 2 GROUP BY e.name
UNION ALL
SELECT 'page_free', 'undone', value * (SELECT factor FROM scale), NULL FROM meta WHERE key = 'frees_undone' AND value > 0
UNION ALL
SELECT event, 'failed', sum(count), NULL FROM failed_allocations GROUP BY event
ORDER BY 2, 1;
