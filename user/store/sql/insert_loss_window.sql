-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT INTO loss_window (cpu, reason, from_ns, to_ns, count) VALUES (?, ?, ?, ?, ?);
