-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bytes allocated beyond the requested bytes, by call site.
SELECT waste_total * factor AS waste_bytes, 100.0 * waste_total / bytes_total AS of_allocated_pct,
	allocs * factor AS count, caller, module
FROM call_sites, scale
WHERE kind = 'slab' AND waste_total > 0 AND (:site = '' OR caller = :site)
ORDER BY waste_total DESC, caller, module LIMIT :limit;
