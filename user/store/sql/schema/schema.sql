-- SPDX-License-Identifier: GPL-2.0-or-later
-- The tables. Documentation/schema.rst explains each; users go through the views.
-- Columns are never renamed or given another meaning, only added.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- ---- meanings of the traced kernel's numbers ----
CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT);
CREATE TABLE context (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE state (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE backing (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE gfp_flag (bits INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE gfp (value INTEGER PRIMARY KEY, names TEXT NOT NULL);
CREATE TABLE migratetype (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

-- ---- CPUs and their losses ----
CREATE TABLE cpu (id INTEGER PRIMARY KEY, events INTEGER NOT NULL, written INTEGER, ignored INTEGER NOT NULL,
	unknown INTEGER NOT NULL, unfinished INTEGER NOT NULL, backward INTEGER NOT NULL,
	subbufs INTEGER NOT NULL, bytes INTEGER NOT NULL, first_ns INTEGER, last_ns INTEGER, reordered INTEGER NOT NULL,
	node INTEGER);
CREATE TABLE event_count (cpu INTEGER NOT NULL, event INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE TABLE loss (cpu INTEGER NOT NULL, reason TEXT NOT NULL, count INTEGER NOT NULL);
CREATE TABLE loss_window (cpu INTEGER NOT NULL, reason TEXT NOT NULL, from_ns INTEGER NOT NULL,
	to_ns INTEGER NOT NULL, count INTEGER NOT NULL);

-- ---- names ----
CREATE TABLE symbol (id INTEGER PRIMARY KEY, name TEXT NOT NULL, module TEXT);
CREATE TABLE frame (id INTEGER PRIMARY KEY, addr INTEGER NOT NULL, symbol INTEGER, offset INTEGER,
	allocator INTEGER NOT NULL, function TEXT NOT NULL, name TEXT NOT NULL, module TEXT);
CREATE TABLE stack (id INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER NOT NULL, frame INTEGER NOT NULL,
	whole INTEGER NOT NULL);
-- addr: if the file is unknown; offset: in the file.
CREATE TABLE user_frame (id INTEGER PRIMARY KEY, addr INTEGER, offset INTEGER, function TEXT, name TEXT NOT NULL,
	file TEXT);
CREATE TABLE user_stack (id INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER NOT NULL, frame INTEGER NOT NULL,
	whole INTEGER NOT NULL);
-- slabinfo: the name under which /proc/slabinfo counts its objects.
CREATE TABLE cache (id INTEGER PRIMARY KEY, name TEXT, object_size INTEGER, slabinfo TEXT);
-- Names of caches that share their slabs because the allocator merged them.
CREATE TABLE cache_alias (slabs TEXT, name TEXT, PRIMARY KEY (slabs, name)) WITHOUT ROWID;
CREATE TABLE task (id INTEGER PRIMARY KEY, tid INTEGER NOT NULL, tgid INTEGER, comm TEXT, is_last INTEGER NOT NULL);
-- The processes of the recorder.
CREATE TABLE recorder (tgid INTEGER PRIMARY KEY);

-- ---- allocations ----
CREATE TABLE origin (id INTEGER PRIMARY KEY, event INTEGER NOT NULL, call_site INTEGER, caller INTEGER,
	stack INTEGER, cache INTEGER, bytes_req INTEGER, bytes_alloc INTEGER, gfp INTEGER,
	page_order INTEGER, migratetype INTEGER, node INTEGER, user_stack INTEGER);

-- The rows of the view alloc, packed: lifetimes.c writes them without checking a constraint for each row. Rows are in
-- the order in which lives ended: allocations left at the end (states 0 and 4) come last, from row first_left in meta.
-- place: cpu * 4 + context. free_place, free_task: minus place, minus task. addr: in words of 8 bytes from linear_base
-- in meta; an unchanged address if ending has 32. ending: state + backing * 8 + moves * 64.
-- parts: pieces + pages_freed * 2^24.
CREATE TABLE lifetime (origin INTEGER, addr INTEGER, time_ns INTEGER, place INTEGER, task INTEGER,
	lifetime_ns INTEGER, free_origin INTEGER, free_place INTEGER, free_task INTEGER, ending INTEGER, parts INTEGER);
CREATE TABLE alloc_total (origin INTEGER NOT NULL, state INTEGER NOT NULL, backing INTEGER NOT NULL,
	count INTEGER NOT NULL, pages_freed INTEGER NOT NULL);
CREATE TABLE unmatched (origin INTEGER NOT NULL, class TEXT NOT NULL, backing INTEGER NOT NULL,
	count INTEGER NOT NULL, bytes INTEGER NOT NULL);
-- Allocations by caller that were freed within that many further allocations of the same thread, but not within half as many.
CREATE TABLE temporary_count (event INTEGER NOT NULL, caller INTEGER, within INTEGER NOT NULL, count INTEGER NOT NULL);
-- The same by origin.
CREATE TABLE temporary_total (origin INTEGER NOT NULL, within INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE TABLE tracer_origin (origin INTEGER PRIMARY KEY);
-- Origins with a keeper on their stack: see keepers.h.
CREATE TABLE keeper (origin INTEGER PRIMARY KEY, keeps INTEGER NOT NULL);
-- Origins of kernel-owned memory. of_area: of an object for an area of vmalloc space.
CREATE TABLE kernel_origin (origin INTEGER PRIMARY KEY, of_area INTEGER NOT NULL);
CREATE TABLE failed (origin INTEGER NOT NULL, count INTEGER NOT NULL, first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL,
	task INTEGER NOT NULL);
CREATE TABLE page_move (origin INTEGER NOT NULL, count INTEGER NOT NULL, fallback_order INTEGER,
	fallback_migratetype INTEGER, refill INTEGER);

-- ---- marks, in time order ----
CREATE TABLE mark (id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, cpu INTEGER NOT NULL, task INTEGER NOT NULL,
	text TEXT NOT NULL);

-- ---- how the trace was recorded ----
CREATE TABLE event_group (name TEXT PRIMARY KEY, traced INTEGER NOT NULL);
CREATE TABLE filter (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE path (name TEXT PRIMARY KEY, state TEXT NOT NULL, why TEXT);
CREATE TABLE module (name TEXT NOT NULL, base INTEGER NOT NULL, size INTEGER NOT NULL, load_ns INTEGER,
	unload_ns INTEGER);

-- ---- /proc at the start and at the end ----
CREATE TABLE meminfo (phase TEXT NOT NULL, key TEXT NOT NULL, kb INTEGER NOT NULL);
CREATE TABLE slabinfo (phase TEXT NOT NULL, name TEXT NOT NULL, active_objs INTEGER NOT NULL,
	num_objs INTEGER NOT NULL, object_size INTEGER NOT NULL, objs_per_slab INTEGER NOT NULL,
	pages_per_slab INTEGER NOT NULL, num_slabs INTEGER NOT NULL);
CREATE TABLE buddyinfo (phase TEXT NOT NULL, node INTEGER NOT NULL, zone TEXT NOT NULL,
	page_order INTEGER NOT NULL, blocks INTEGER NOT NULL);
CREATE TABLE zone_free (time_ns INTEGER NOT NULL, node INTEGER NOT NULL, zone TEXT NOT NULL, free_pages INTEGER NOT NULL,
	largest_order INTEGER);
CREATE TABLE vmstat (phase TEXT NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL);

INSERT INTO context VALUES (0, 'task'), (1, 'softirq'), (2, 'hardirq');
INSERT INTO state VALUES (0, 'live'), (1, 'freed'), (2, 'free_unseen'), (3, 'freed_rcu'), (4, 'freeing');
INSERT INTO backing VALUES (0, NULL), (1, 'slab'), (2, 'kmalloc-large'), (3, 'percpu');
