-- SPDX-License-Identifier: GPL-2.0-or-later
-- Memory of :kind allocated in all, by call site.
SELECT bytes_total * factor AS total_bytes, allocs * factor AS count, bytes_total / allocs AS average_bytes,
	caller,
	coalesce(module, CASE WHEN caller IN (SELECT caller FROM tracer_sites) THEN '(the tracer)' END) AS module
FROM call_sites, scale
WHERE kind = :kind AND bytes_total > 0 AND (:site = '' OR caller = :site)
ORDER BY bytes_total DESC, caller, module LIMIT :limit;
