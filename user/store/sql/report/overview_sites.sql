-- SPDX-License-Identifier: GPL-2.0-or-later
-- Call sites of all kinds, by what is live of them at the end.
SELECT kind, live_bytes, live_count, total_bytes, count, caller, module FROM temp.report_sites
WHERE live_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY live_bytes DESC, total_bytes DESC, kind, caller, module LIMIT :limit;
