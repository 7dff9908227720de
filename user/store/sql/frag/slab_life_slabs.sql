-- SPDX-License-Identifier: GPL-2.0-or-later
-- The pages of slabs, with start and end. None if the trace does not show the contents of slabs: see the view slab_lives.
SELECT scan(addr, time_ns, lifetime_ns, origin)
FROM lifetime
WHERE rowid BETWEEN :first AND :last AND ending >> 3 & 3 = 1 AND (SELECT factor FROM scale) = 1 AND
	(SELECT value FROM meta WHERE key = 'linear_base') <> 0 AND
	NOT EXISTS (SELECT 1 FROM event_group WHERE name = 'slab' AND NOT traced);
