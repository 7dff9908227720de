-- SPDX-License-Identifier: GPL-2.0-or-later
-- Divisors for figures of a trace, and the kinds that it did not trace. scaled: events as a
-- trace without sampling would have them; a sample has all events that belong to no allocation, and all failed allocations.
SELECT (SELECT value FROM meta WHERE key = 'span_ns') AS span_ns,
	(SELECT value FROM meta WHERE key = 'events') AS events,
	(SELECT factor FROM scale) AS sample,
	(SELECT group_concat(kind, ' ') FROM untraced_kinds) AS not_traced,
	(SELECT value FROM meta WHERE key = 'events') + ((SELECT factor FROM scale) - 1) *
		max(0, (SELECT coalesce(sum(c.count), 0) FROM event_count c JOIN event e ON e.id = c.event WHERE e.kind IS NOT NULL) -
			(SELECT coalesce(sum(count), 0) FROM failed)) AS scaled;
