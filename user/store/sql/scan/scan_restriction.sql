-- SPDX-License-Identifier: GPL-2.0-or-later
-- The restriction of the connection, from restrict.sql; one row.
SELECT from_ns, to_ns, cpu_least, cpu_most, age_least, age_most, span_ns, by_origin, by_task, by_cpu, by_age FROM temp.restriction;
