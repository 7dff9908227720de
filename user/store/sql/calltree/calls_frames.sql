-- SPDX-License-Identifier: GPL-2.0-or-later
-- Return addresses and their functions, in order; and where the function begins, if it is one.
SELECT id, function, module, allocator, addr, CASE WHEN symbol IS NOT NULL THEN addr - offset END FROM frame ORDER BY id;
