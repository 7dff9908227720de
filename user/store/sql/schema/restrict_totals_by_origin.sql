-- SPDX-License-Identifier: GPL-2.0-or-later
-- The same where all allocations of an origin are kept, or none is: lifetimes need not be read.
CREATE TEMP TABLE alloc_total AS
SELECT origin, state, backing, count, pages_freed FROM main.alloc_total WHERE origin IN temp.kept_origin;
