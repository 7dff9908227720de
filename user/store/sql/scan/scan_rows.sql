-- SPDX-License-Identifier: GPL-2.0-or-later
-- How many lifetimes there are; one row.
SELECT coalesce(max(rowid), 0) FROM main.lifetime;
