-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query pageblock has no rows.
SELECT iif(:first_pfn = 'most', 'no page is live at the end', 'no page is live there at the end');
