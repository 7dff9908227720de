-- SPDX-License-Identifier: GPL-2.0-or-later
-- The number of lifetimes; one row.
SELECT coalesce(max(rowid), 0) FROM main.lifetime;
