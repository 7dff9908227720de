-- SPDX-License-Identifier: GPL-2.0-or-later
-- Rows that were made in C.
SELECT * FROM temp.figures ORDER BY rowid;
