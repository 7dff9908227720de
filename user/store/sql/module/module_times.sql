-- SPDX-License-Identifier: GPL-2.0-or-later
-- Load and unload times of the module :name; NULL: before the trace, never.
SELECT load_ns, unload_ns FROM module WHERE name = :name ORDER BY load_ns, base;
