-- SPDX-License-Identifier: GPL-2.0-or-later
-- Restricts this connection to lifetimes that began in an interval.
CREATE TEMP TABLE interval AS SELECT :from AS from_ns, :to AS to_ns;
CREATE TEMP VIEW lifetime AS
SELECT rowid AS rowid, origin, addr, time_ns, place, task, lifetime_ns, free_origin, free_place, free_task, ending, parts
FROM main.lifetime
WHERE time_ns >= (SELECT from_ns FROM interval) AND time_ns < (SELECT to_ns FROM interval);
