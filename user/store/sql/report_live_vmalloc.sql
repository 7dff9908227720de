-- SPDX-License-Identifier: GPL-2.0-or-later
-- Areas of vmalloc space that are live at the end, by call site.
SELECT live_bytes * factor AS live_bytes, live_count * factor AS live_count, caller, module
FROM call_sites, scale
WHERE kind = 'vmalloc' AND live_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY live_bytes DESC, caller, module LIMIT :limit;
