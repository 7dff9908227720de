-- SPDX-License-Identifier: GPL-2.0-or-later
-- The function that the return address ?1 is in, of those that the trace has. Where modules lay in each other's
-- place, the first.
SELECT function, module, addr - offset AS start,
	function || printf('+0x%x', ?1 - (addr - offset)) || ifnull(' [' || module || ']', '') AS name
FROM frame WHERE symbol IS NOT NULL AND ?1 > addr - offset AND ?1 <= addr ORDER BY id LIMIT 1;
