-- SPDX-License-Identifier: GPL-2.0-or-later
-- Bytes allocated beyond those asked for, by call site.
SELECT waste_bytes, 100.0 * waste_bytes / total_bytes AS of_allocated_pct, count, caller, module FROM call_sites
WHERE kind = 'slab' AND waste_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY waste_bytes DESC, caller LIMIT :limit;
