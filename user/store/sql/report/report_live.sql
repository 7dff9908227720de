-- SPDX-License-Identifier: GPL-2.0-or-later
-- Memory of :kind that is live at the end, by call site.
SELECT live_bytes * factor AS live_bytes, live_count * factor AS live_count, caller,
	coalesce(module, CASE WHEN caller IN (SELECT caller FROM tracer_sites) THEN '(the tracer)' END) AS module
FROM call_sites, scale
WHERE kind = :kind AND live_bytes > 0 AND (:site = '' OR caller = :site)
ORDER BY live_bytes DESC, caller, module LIMIT :limit;
