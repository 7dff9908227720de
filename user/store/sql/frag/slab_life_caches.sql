-- SPDX-License-Identifier: GPL-2.0-or-later
-- For each cache in /proc/slabinfo: bytes of an object, objects per slab, and pages per slab.
SELECT c.id, max(s.object_size), max(s.objs_per_slab), max(s.pages_per_slab)
FROM cache c JOIN slabinfo s ON s.name = c.slabinfo
WHERE s.objs_per_slab > 0 AND s.object_size > 0 GROUP BY c.id;
