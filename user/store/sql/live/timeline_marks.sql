-- SPDX-License-Identifier: GPL-2.0-or-later
-- Marks, each with its position in a diagram of :steps steps.
WITH span (ns) AS (SELECT max(value, 1) FROM meta WHERE key = 'span_ns'),
placed AS (
	SELECT id, time_ns, comm, text, min(max((time_ns * :steps + ns - 1) / ns - 1, 0), :steps - 1) AS step FROM marks, span)
SELECT time_ns AS at_ns, '|' || printf('%*s', step, '') || '▲' || printf('%*s', :steps - 1 - step, '') || '|' AS over_time,
	comm, text
FROM placed ORDER BY id;
