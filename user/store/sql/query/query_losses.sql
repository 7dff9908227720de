-- SPDX-License-Identifier: GPL-2.0-or-later
-- Lost events by time and CPU. No rows: nothing was lost.
-- :lines 50  maximum number of rows
SELECT l.reason, l.unit, l.cpu, coalesce(w.count, l.count) AS count, w.from_ns, w.to_ns
FROM losses l LEFT JOIN loss_window w ON w.cpu = l.cpu AND w.reason = l.reason
WHERE l.count > 0 ORDER BY w.from_ns, l.cpu, l.reason LIMIT :lines;
