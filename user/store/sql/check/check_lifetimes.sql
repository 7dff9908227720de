-- SPDX-License-Identifier: GPL-2.0-or-later
-- The lifetime of each freed allocation.
SELECT a.origin, a.lifetime_ns FROM alloc a WHERE a.state IN (1, 3) AND a.backing = 0;
