-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long each thing that was freed had lived.
SELECT a.origin, a.lifetime_ns FROM alloc a WHERE a.state IN (1, 3) AND a.backing = 0;
