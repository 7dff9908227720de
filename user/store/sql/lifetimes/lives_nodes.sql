-- SPDX-License-Identifier: GPL-2.0-or-later
-- The node of each CPU; NULL where the trace doesn't tell.
SELECT id, node FROM cpu;
