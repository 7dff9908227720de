-- SPDX-License-Identifier: GPL-2.0-or-later
-- What could not be matched, by class.
SELECT event, class, sum(count) AS count, sum(bytes) AS bytes FROM unmatched_frees GROUP BY event, class
UNION ALL
SELECT e.name, 'free unseen', sum(g.free_unseen), sum(g.free_unseen * o.bytes_alloc)
FROM total g JOIN origin o ON o.id = g.origin JOIN event_name e ON e.id = o.event
WHERE g.free_unseen > 0 GROUP BY e.name
UNION ALL
SELECT event, 'failed', sum(count), 0 FROM failures GROUP BY event
ORDER BY 2, 1;
