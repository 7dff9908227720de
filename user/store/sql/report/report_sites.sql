-- SPDX-License-Identifier: GPL-2.0-or-later
-- Call sites as reports show them: figures of all allocations; sites that only the tracer calls are marked as the tracer's.
CREATE TEMP VIEW IF NOT EXISTS report_sites AS
SELECT kind, caller, live_bytes * factor AS live_bytes, live_count * factor AS live_count, bytes_total * factor AS total_bytes,
	allocs * factor AS count, bytes_total / allocs AS average_bytes,
	coalesce(module, iif(caller IN (SELECT caller FROM tracer_sites), '(the tracer)', NULL)) AS module
FROM call_sites, scale;
