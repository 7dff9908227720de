-- SPDX-License-Identifier: GPL-2.0-or-later
-- The function of return address ?1, if the trace has it. If several modules were loaded at that
-- address, the first one.
SELECT function, module, addr - offset AS start,
	function || printf('+0x%x', ?1 - (addr - offset)) || ifnull(' [' || module || ']', '') AS name
FROM frame WHERE symbol IS NOT NULL AND ?1 > addr - offset AND ?1 <= addr ORDER BY id LIMIT 1;
