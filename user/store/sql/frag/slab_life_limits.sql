-- SPDX-License-Identifier: GPL-2.0-or-later
-- The highest numbers of origins and caches, the length of the trace, the page size, the base of addresses, and whether the trace shows
-- the contents of slabs, see the view slab_lives; one row.
SELECT (SELECT max(id) FROM origin), (SELECT max(id) FROM cache), (SELECT value FROM meta WHERE key = 'span_ns'),
	(SELECT value FROM meta WHERE key = 'page_size'), (SELECT value FROM meta WHERE key = 'linear_base'),
	(SELECT factor FROM scale) = 1 AND (SELECT value FROM meta WHERE key = 'linear_base') <> 0 AND
	NOT EXISTS (SELECT 1 FROM event_group WHERE name = 'slab' AND NOT traced);
