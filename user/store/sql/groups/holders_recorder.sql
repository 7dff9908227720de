-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tasks of the recorder, whose memory is not a suspect either, since it writes the trace. If groups are tasks it is one of them, marked;
-- :site includes all memory of a call site.
SELECT id FROM recorder_tasks WHERE :by NOT IN ('task', 'thread') AND :site = '';
