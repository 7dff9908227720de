-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages that the kernel moved to other frames, and how many of them had an allocation. In a sample: those that left or entered it.
SELECT sum(count) AS moves, sum(pages) AS pages, (SELECT value FROM meta WHERE key = 'moved_pages') AS known_pages
FROM page_moves WHERE event = 'page_move' HAVING sum(count) > 0;
