-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each task its thread id, and whether it is of the recorder, where :suspects leave that out as it writes the trace. In the order of
-- ids; there may be many millions, so nothing is sorted.
SELECT id, tid, :suspects AND tgid IN (SELECT tgid FROM recorder) FROM task ORDER BY id;
