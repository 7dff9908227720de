-- SPDX-License-Identifier: GPL-2.0-or-later
-- Memory of :kind that is live at the end, by call site.
SELECT live_bytes, live_count, caller, module FROM temp.report_sites
WHERE kind = :kind AND live_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY live_bytes DESC, caller, module LIMIT :limit;
