-- SPDX-License-Identifier: GPL-2.0-or-later
-- All marks in time order.
SELECT id, time_ns, text, cpu, tid, comm FROM marks ORDER BY id;
