-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which frees had no allocation in the trace, by who freed. What has no size is of unknown bytes.
-- :lines 20  rows at most
SELECT sum(count) * factor AS count, nullif(sum(bytes), 0) * factor AS total_bytes, class, event, backing, caller, module
FROM unmatched_frees, scale
GROUP BY class, event, backing, caller, module ORDER BY sum(count) DESC, class, event, caller, module LIMIT :lines;
