-- SPDX-License-Identifier: GPL-2.0-or-later
-- What numbers there are, how long the trace is, and the bytes of a page; one row.
SELECT coalesce((SELECT max(id) FROM origin), 0), coalesce((SELECT max(id) FROM task), 0),
	(SELECT value FROM meta WHERE key = 'span_ns'), (SELECT value FROM meta WHERE key = 'page_size');
