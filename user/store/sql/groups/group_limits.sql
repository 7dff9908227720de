-- SPDX-License-Identifier: GPL-2.0-or-later
-- The highest numbers of origins, and of tasks (with :by_cpu how many CPUs there may be), the length of the trace,
-- the page size, and the factor of counts and bytes; one row.
SELECT coalesce((SELECT max(id) FROM origin), 0), coalesce(iif(:by_cpu, (SELECT max(id) + 1 FROM cpu), (SELECT max(id) FROM task)), 0),
	(SELECT value FROM meta WHERE key = 'span_ns'), (SELECT value FROM meta WHERE key = 'page_size'), (SELECT factor FROM scale);
