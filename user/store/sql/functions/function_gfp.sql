-- SPDX-License-Identifier: GPL-2.0-or-later
-- Like the table gfp in finish.sql, for any flags.
SELECT fold_gfp(coalesce((SELECT group_concat(name, '|') FROM (SELECT * FROM gfp_flag ORDER BY bits)
	WHERE ?1 & bits = bits), printf('0x%x', ?1)));
