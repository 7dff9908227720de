-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tasks of the recorder, whose memory is no suspect either: it writes the trace. Where groups are tasks it is one of them, marked;
-- who asks for a call site gets all of it.
SELECT id FROM recorder_tasks WHERE :by NOT IN ('task', 'thread') AND :site = '';
