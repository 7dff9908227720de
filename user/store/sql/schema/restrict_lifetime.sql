-- SPDX-License-Identifier: GPL-2.0-or-later
-- Restricts this connection to the lifetimes that restrict.sql selects. within_time: made in the interval; kept: selected by all
-- other criteria.
CREATE TEMP VIEW judged_lifetime AS
SELECT rowid AS rowid, origin, addr, time_ns, place, task, lifetime_ns, free_origin, free_place, free_task, ending, parts,
	time_ns >= (SELECT from_ns FROM temp.restriction) AND time_ns < (SELECT to_ns FROM temp.restriction) AS within_time,
	((SELECT NOT by_origin FROM temp.restriction) OR origin IN temp.kept_origin)
	AND ((SELECT NOT by_task FROM temp.restriction) OR task IN temp.kept_task)
	AND ((SELECT NOT by_cpu FROM temp.restriction) OR
		place >> 2 BETWEEN (SELECT cpu_least FROM temp.restriction) AND (SELECT cpu_most FROM temp.restriction))
	AND ((SELECT NOT by_age FROM temp.restriction) OR coalesce(lifetime_ns, (SELECT span_ns FROM temp.restriction) - time_ns)
		BETWEEN (SELECT age_least FROM temp.restriction) AND (SELECT age_most FROM temp.restriction)) AS kept
FROM main.lifetime;
CREATE TEMP VIEW lifetime AS
SELECT rowid AS rowid, origin, addr, time_ns, place, task, lifetime_ns, free_origin, free_place, free_task, ending, parts
FROM temp.judged_lifetime WHERE within_time AND kept;
