-- SPDX-License-Identifier: GPL-2.0-or-later
-- What who holds memory is told by; one row. doubtful_ns: what was allocated before that may have been freed
-- while events were lost. Where damage lay in time is not known.
SELECT (SELECT value FROM meta WHERE key = 'span_ns') AS span_ns,
	(SELECT value FROM meta WHERE key = 'page_size') AS page_size,
	CASE WHEN (SELECT value FROM meta WHERE key = 'recovered_bytes') > 0
		OR (EXISTS (SELECT 1 FROM losses WHERE unit NOT IN ('details', 'names') AND count > 0) AND max(w.to_ns) IS NULL)
		THEN (SELECT value FROM meta WHERE key = 'span_ns') + 1
		ELSE coalesce(max(w.to_ns), 0) END AS doubtful_ns
FROM loss_window w
WHERE w.count > 0 AND w.reason NOT IN (SELECT reason FROM losses WHERE unit IN ('details', 'names'));
