-- SPDX-License-Identifier: GPL-2.0-or-later
-- A return address in the trace, or an address before one in the same function. If several modules
-- were loaded at that address, the first one.
SELECT coalesce(
	(SELECT name FROM frame WHERE addr = ?1 ORDER BY id LIMIT 1),
	(SELECT function || printf('+0x%x', ?1 - (addr - offset)) || ifnull(' [' || module || ']', '') FROM frame
		WHERE symbol IS NOT NULL AND ?1 >= addr - offset AND ?1 < addr ORDER BY id LIMIT 1));
