-- SPDX-License-Identifier: GPL-2.0-or-later
-- Pages allocated in all, by call site.
SELECT total_bytes, count, total_bytes / count AS average_bytes, caller, module FROM call_sites
WHERE kind = 'page' AND total_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY total_bytes DESC, caller LIMIT :limit;
