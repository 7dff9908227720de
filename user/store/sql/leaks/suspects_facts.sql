-- SPDX-License-Identifier: GPL-2.0-or-later
-- The address of page 0, the processors (0: unknown), and whether the kernel boots in the trace; one row.
SELECT coalesce((SELECT value FROM meta WHERE key = 'linear_base'), 0),
	coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'host.cpus'), 0),
	boots
FROM boot;
