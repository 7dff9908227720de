-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tables. Documentation/schema.rst explains every column. Columns are only ever added.
-- Times are nanoseconds since the first event (meta: start_ns). Pointers are signed 64-bit.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE cpu (
	id INTEGER PRIMARY KEY,
	events INTEGER, written INTEGER, ignored INTEGER,
	subbufs INTEGER, bytes INTEGER, backward INTEGER, unfinished INTEGER,
	first_ns INTEGER, last_ns INTEGER
);
CREATE TABLE event_count (cpu INTEGER, event TEXT, count INTEGER, PRIMARY KEY (cpu, event)) WITHOUT ROWID;
CREATE TABLE loss (cpu INTEGER, reason TEXT, count INTEGER, PRIMARY KEY (cpu, reason)) WITHOUT ROWID;
CREATE TABLE loss_window (cpu INTEGER, reason TEXT, from_ns INTEGER, to_ns INTEGER, count INTEGER);

CREATE TABLE symbol (id INTEGER PRIMARY KEY, name TEXT, module TEXT);
CREATE TABLE frame (id INTEGER PRIMARY KEY, addr INTEGER, symbol INTEGER, offset INTEGER, allocator INTEGER);
CREATE TABLE stack (id INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER, frame INTEGER, whole INTEGER);
CREATE TABLE cache (id INTEGER PRIMARY KEY, name TEXT, object_size INTEGER);
CREATE TABLE task (id INTEGER PRIMARY KEY, tid INTEGER, tgid INTEGER, comm TEXT);

-- What many allocations share, and what many frees share.
CREATE TABLE origin (
	id INTEGER PRIMARY KEY,
	event INTEGER, call_site INTEGER, caller INTEGER, stack INTEGER, cache INTEGER,
	bytes_req INTEGER, bytes_alloc INTEGER, gfp INTEGER,
	page_order INTEGER, migratetype INTEGER, node INTEGER
);
CREATE TABLE release (id INTEGER PRIMARY KEY, event INTEGER, call_site INTEGER, caller INTEGER, stack INTEGER);

-- One row for each allocation, with its free.
CREATE TABLE alloc (
	id INTEGER PRIMARY KEY,
	origin INTEGER, addr INTEGER, time_ns INTEGER, cpu INTEGER, context INTEGER, task INTEGER,
	lifetime_ns INTEGER, release INTEGER, free_cpu INTEGER, free_context INTEGER, free_task INTEGER,
	state INTEGER, backing INTEGER, pieces INTEGER, live_bytes INTEGER
);

CREATE TABLE unmatched (event INTEGER, class INTEGER, slab INTEGER, caller INTEGER, count INTEGER, bytes INTEGER);
CREATE TABLE failed (event INTEGER, caller INTEGER, page_order INTEGER, bytes_req INTEGER, count INTEGER);

-- What the kernel said of itself at the start (phase 0) and at the end (1).
CREATE TABLE meminfo (phase INTEGER, key TEXT, kb INTEGER, PRIMARY KEY (phase, key)) WITHOUT ROWID;
CREATE TABLE vmstat (phase INTEGER, key TEXT, value INTEGER, PRIMARY KEY (phase, key)) WITHOUT ROWID;
CREATE TABLE slabinfo (
	phase INTEGER, name TEXT, active_objs INTEGER, num_objs INTEGER, object_size INTEGER,
	objs_per_slab INTEGER, pages_per_slab INTEGER, num_slabs INTEGER, PRIMARY KEY (phase, name)
) WITHOUT ROWID;
CREATE TABLE buddyinfo (
	phase INTEGER, node INTEGER, zone TEXT, page_order INTEGER, blocks INTEGER,
	PRIMARY KEY (phase, node, zone, page_order)
) WITHOUT ROWID;

-- The numbers in records, by name.
CREATE TABLE event_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE context_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE state_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE backing_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE migratetype_name (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE gfp_name (bit INTEGER PRIMARY KEY, name TEXT);
INSERT INTO context_name VALUES (0, 'task'), (1, 'softirq'), (2, 'hardirq');
CREATE TABLE unmatched_class_name (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO unmatched_class_name VALUES (0, 'before the trace, or unseen'), (1, 'allocation unseen');
INSERT INTO state_name VALUES (0, 'live'), (1, 'freed'), (2, 'free unseen');
INSERT INTO backing_name VALUES (0, NULL), (1, 'slab'), (2, 'kmalloc-large');
