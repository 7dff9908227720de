-- SPDX-License-Identifier: GPL-2.0-or-later
-- The kernel's functions and their start addresses.
SELECT DISTINCT function, addr - offset FROM frame WHERE symbol IS NOT NULL AND module IS NULL AND addr <> 1 ORDER BY 2;
