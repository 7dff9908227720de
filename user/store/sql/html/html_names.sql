-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names of the groups in group_names, by :by; NULL where a group has no such name. A stack with inlined functions may be of any length.
SELECT CASE :by WHEN 'cache' THEN name WHEN 'task' THEN name WHEN 'requested' THEN NULL ELSE coalesce(caller, '(unknown)') END AS name,
	CASE WHEN :by IN ('site', 'stack') THEN module END AS module,
	CASE :by WHEN 'stack' THEN coalesce((SELECT iif(length(text) > 16384, substr(text, 1, 16384) || ' … (cut)', text)
		FROM stacks WHERE id = stack), '') END AS stack,
	CASE :by WHEN 'requested' THEN (SELECT bytes_req FROM origin WHERE id = (SELECT origin FROM temp.group_keys WHERE rowid = nr)) END AS size
FROM temp.group_names ORDER BY nr;
