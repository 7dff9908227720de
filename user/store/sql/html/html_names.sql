-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names of the groups in group_names; of their stacks if :stacks is 1.
SELECT coalesce(caller, '(unknown)') AS caller, module, cache,
	CASE WHEN :stacks = 1 THEN (SELECT text FROM stacks WHERE id = stack) END AS stack
FROM temp.group_names ORDER BY nr;
