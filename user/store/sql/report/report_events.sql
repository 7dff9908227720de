-- SPDX-License-Identifier: GPL-2.0-or-later
-- The events in the trace. A sample is not scaled here.
SELECT e.name AS event, e.kind, sum(c.count) AS count
FROM event e JOIN event_count c ON c.event = e.id
GROUP BY e.id HAVING sum(c.count) > 0 ORDER BY e.id;
