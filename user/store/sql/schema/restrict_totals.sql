-- SPDX-License-Identifier: GPL-2.0-or-later
-- Totals of the lifetimes that restrict_lifetime.sql keeps.
CREATE TEMP TABLE alloc_total AS SELECT origin, state, backing, count, pages_freed FROM lifetime_totals;
