-- SPDX-License-Identifier: GPL-2.0-or-later
-- The table module_sums for the kind :kind, by call site.
SELECT init_bytes, init_count, later_bytes, later_count, freed_bytes, freed_count, unload_bytes, unload_count, left_bytes, left_count,
	caller, module
FROM temp.module_sums WHERE kind = :kind ORDER BY rowid LIMIT :limit;
