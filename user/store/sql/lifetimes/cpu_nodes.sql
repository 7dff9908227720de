-- SPDX-License-Identifier: GPL-2.0-or-later
-- The node of each CPU; NULL if the trace lacks it.
SELECT id, node FROM cpu;
