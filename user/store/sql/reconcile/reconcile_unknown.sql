-- SPDX-License-Identifier: GPL-2.0-or-later
-- Objects from before the trace that were freed by an event without a cache; one row.
SELECT coalesce(sum(u.count), 0) * (SELECT factor FROM scale) AS count
FROM unmatched u JOIN origin o ON o.id = u.origin JOIN event e ON e.id = o.event
WHERE u.class = 'before' AND o.cache IS NULL AND e.name IN ('kfree', 'kfree_rcu');
