-- SPDX-License-Identifier: GPL-2.0-or-later
-- Return addresses and their functions, in order.
SELECT id, function, module, allocator FROM frame ORDER BY id;
