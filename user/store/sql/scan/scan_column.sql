-- SPDX-License-Identifier: GPL-2.0-or-later
-- The number of the column of the table lifetime with this name, from 1 on.
SELECT cid + 1 FROM pragma_table_info('lifetime', 'main') WHERE name = ?;
