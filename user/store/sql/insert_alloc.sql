-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO alloc (origin, addr, time_ns, cpu, context, task, lifetime_ns, release, free_cpu, free_context, free_task, state, backing, pieces, live_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
