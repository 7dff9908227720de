-- SPDX-License-Identifier: GPL-2.0-or-later
-- Per-CPU memory that is live at the end, by call site.
SELECT live_bytes * factor AS live_bytes, live_count * factor AS live_count, caller, module
FROM call_sites, scale
WHERE kind = 'percpu' AND live_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY live_bytes DESC, caller, module LIMIT :limit;
