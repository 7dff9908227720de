-- SPDX-License-Identifier: GPL-2.0-or-later
-- Return addresses with their functions, in order, and the start of each function if known.
SELECT id, function, module, allocator, addr, CASE WHEN symbol IS NOT NULL THEN addr - offset END FROM frame ORDER BY id;
