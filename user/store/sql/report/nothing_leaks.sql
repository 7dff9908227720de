-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query leaks has no rows, if its options are the cause.
SELECT 'the trace is shorter than --older: it has ' || printf('%.3fs', value / 1e9)
FROM meta WHERE key = 'span_ns' AND :older_ns >= value;
