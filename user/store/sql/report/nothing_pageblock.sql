-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query pageblock has no rows, if no pageblock was given.
SELECT 'no pageblock was given (use --first PFN); the view pageblocks lists them: query "SELECT * FROM pageblocks ORDER BY unmovable_pages DESC LIMIT 5"'
WHERE :first_pfn + 0 = 0;
