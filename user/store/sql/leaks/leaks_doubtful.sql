-- SPDX-License-Identifier: GPL-2.0-or-later
-- The time before which allocations may have been freed while events were lost; one row. The time of damage is unknown.
SELECT CASE WHEN (SELECT value FROM meta WHERE key = 'recovered_bytes') > 0
		OR (EXISTS (SELECT 1 FROM losses WHERE unit NOT IN ('details', 'names') AND count > 0) AND max(w.to_ns) IS NULL)
		THEN (SELECT value FROM meta WHERE key = 'span_ns') + 1
		ELSE coalesce(max(w.to_ns), 0) END AS doubtful_ns
FROM loss_window w
WHERE w.count > 0 AND w.reason NOT IN (SELECT reason FROM losses WHERE unit IN ('details', 'names'));
