-- SPDX-License-Identifier: GPL-2.0-or-later
-- Why the query boot has no rows.
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM stack) THEN 'the trace has no stacks, which identify the boot steps'
	ELSE 'the trace does not include the boot: Documentation/install.rst shows how to trace it' END
FROM boot WHERE NOT boots;
