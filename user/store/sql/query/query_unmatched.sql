-- SPDX-License-Identifier: GPL-2.0-or-later
-- Frees without an allocation in the trace, by call site. Bytes of frees without a size are unknown.
-- :lines 20  maximum number of rows
SELECT sum(count) * factor AS count, nullif(sum(bytes), 0) * factor AS total_bytes, class, event, backing, caller, module
FROM unmatched_frees, scale
GROUP BY class, event, backing, caller, module ORDER BY sum(count) DESC, class, event, caller, module LIMIT :lines;
