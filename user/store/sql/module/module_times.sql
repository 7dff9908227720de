-- SPDX-License-Identifier: GPL-2.0-or-later
-- When the module :name came and went; NULL: before the trace, never.
SELECT load_ns, unload_ns FROM module WHERE name = :name ORDER BY load_ns, base;
