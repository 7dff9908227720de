-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query pageblock has no rows, where nobody said which one is meant.
SELECT 'which pageblock? --from PFN tells, and the view pageblocks has them: query "SELECT * FROM pageblocks ORDER BY unmovable_pages DESC LIMIT 5"'
WHERE :first_pfn + 0 = 0;
