-- SPDX-License-Identifier: GPL-2.0-or-later
-- All marks in order of time.
SELECT id, time_ns, text, cpu, tid, comm FROM marks ORDER BY id;
