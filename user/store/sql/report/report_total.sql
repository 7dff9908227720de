-- SPDX-License-Identifier: GPL-2.0-or-later
-- All memory of :kind allocated in the trace, by call site.
SELECT total_bytes, count, average_bytes, caller, module FROM temp.report_sites
WHERE kind = :kind AND total_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY total_bytes DESC, caller, module LIMIT :limit;
