-- SPDX-License-Identifier: GPL-2.0-or-later
-- The number of the column with this name in the table lifetime, counted from 1.
SELECT cid + 1 FROM pragma_table_info('lifetime', 'main') WHERE name = ?;
