-- SPDX-License-Identifier: GPL-2.0-or-later
INSERT OR REPLACE INTO slabinfo (phase, name, active_objs, num_objs, object_size, objs_per_slab, pages_per_slab, num_slabs) VALUES (?, ?, ?, ?, ?, ?, ?, ?);
