-- SPDX-License-Identifier: GPL-2.0-or-later
-- The highest numbers of origins and caches, the length of the trace, the page size, and the base of addresses; one row.
SELECT (SELECT max(id) FROM origin), (SELECT max(id) FROM cache), (SELECT value FROM meta WHERE key = 'span_ns'),
	(SELECT value FROM meta WHERE key = 'page_size'), (SELECT value FROM meta WHERE key = 'linear_base');
