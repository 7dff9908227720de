-- SPDX-License-Identifier: GPL-2.0-or-later
-- Call sites of all kinds, by what is live of them at the end.
SELECT kind, live_bytes * factor AS live_bytes, live_count * factor AS live_count, bytes_total * factor AS total_bytes,
	allocs * factor AS count, caller,
	coalesce(module, CASE WHEN caller IN (SELECT caller FROM tracer_sites) THEN '(the tracer)' END) AS module
FROM call_sites, scale
WHERE live_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY live_bytes DESC, bytes_total DESC, kind, caller, module LIMIT :limit;
