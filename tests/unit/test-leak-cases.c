// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces with and without a planted leak: what leaks reports about them. The last test counts over
 * all traces how many suspects leak (precision), and how many leaks are suspects (recall).
 *
 * Each trace has the call site "planted", which leaks or not, and others that never do. It covers
 * half a minute of a busy machine, unless a case says otherwise.
 */
#include <glib.h>
#include <json-glib/json-glib.h>
#include <math.h>

#include "report/leaks/leaks.h"
#include "store-check.h"

#define START_NS	G_GUINT64_CONSTANT(1000000000000)
#define NS_PER_MS	G_GUINT64_CONSTANT(1000000)
#define SPAN_MS		60000
#define UNMOVABLE	0
#define MOVABLE		1
#define RECLAIMABLE	2

/* In percent, as stated in Documentation/kmemtrace-user-leaks.1.rst. */
#define PRECISION_MIN	90
#define RECALL_MIN	90

static const char kallsyms[] = "ffffffff81001000 T planted\n"
			       "ffffffff81002000 T load\n"
			       "ffffffff81003000 T inode\n"
			       "ffffffff81004000 T slab\n"
			       "ffffffff81005000 T lookup\n"
			       "ffffffff81006000 T walk\n"
			       "ffffffff81007000 T ioctl\n"
			       "ffffffff81008000 T alloc_vmap_area\n"
			       "ffffffff81009000 T filemap_alloc_folio_noprof\n"
			       "ffffffff8100a000 T end\n"
			       "ffffffffc0001000 t orphan\t[mod]\n";

enum { PLANTED = 0x1010, LOAD = 0x2010, INODE = 0x3010, SLAB = 0x4010, LOOKUP = 0x5010,
       WALK = 0x6010, IOCTL = 0x7010, VMAP_AREA = 0x8010, FILEMAP = 0x9010, ORPHAN = 0x3f001010 };

/* Slab caches with known properties. */
enum { CACHE_AREA = 1, CACHE_SOCKET, CACHE_FLAGGED };

typedef struct {
	struct check_store store;
	GArray *events; /* of struct trace_event; cpu is that of the sub-buffer */
	GRand *random;
	guint64 next; /* page */
} Trace;

static void trace_init(Trace *trace)
{
	check_store_init(&trace->store);
	trace->events = g_array_new(FALSE, FALSE, sizeof(struct trace_event));
	trace->random = g_rand_new_with_seed(1);
	trace->next = 0;
	builder_snapshot(trace->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(trace->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\nmigratetype 0 unmovable\n"
			 "migratetype 1 movable\nmigratetype 2 reclaimable\n");
	builder_snapshot(trace->store.builder, "caches", KMEMTRACE_PHASE_END,
			 "1 256 vmap_area\n2 256 tw_sock_TCP\n3 256 nodes\n");
	builder_snapshot(trace->store.builder, "cache_aliases", KMEMTRACE_PHASE_END,
			 ":a-nodes nodes\n:A-0000256 vmap_area\n");
}

static void trace_clear(Trace *trace)
{
	g_array_unref(trace->events);
	g_rand_free(trace->random);
	check_store_clear(&trace->store);
}

/* ---- events: times in ms ---- */

static void put(Trace *trace, struct trace_event event, double ms)
{
	event.time_ns = START_NS + (guint64)(ms * NS_PER_MS);
	event.tid = event.tid ?: 7;
	event.node = KMEMTRACE_NODE_ANY;
	g_array_append_val(trace->events, event);
}

static void give(Trace *trace, double ms, guint64 addr)
{
	put(trace, (struct trace_event){ .event = KMEMTRACE_EVENT_KFREE, .addr = addr,
					 .call_site = TEXT + LOAD }, ms);
}

static guint64 take_on(Trace *trace, double ms, guint64 site, guint32 bytes, guint16 cpu)
{
	guint64 addr = BASE + ++trace->next * 4096;

	trace->next += bytes / 4096;
	put(trace, (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC, .addr = addr,
					 .call_site = TEXT + site, .bytes_req = bytes,
					 .bytes_alloc = bytes, .cpu = cpu }, ms);
	return addr;
}

static guint64 take(Trace *trace, double ms, guint64 site, guint32 bytes)
{
	return take_on(trace, ms, site, bytes, trace->next % 2);
}

/* It is freed after @life_ms, if that is still in the trace. */
static void take_for(Trace *trace, double ms, guint64 site, double life_ms, double end_ms)
{
	guint64 addr = take(trace, ms, site, 256);

	if (ms + life_ms < end_ms)
		give(trace, ms + life_ms, addr);
}

static void put_pages(Trace *trace, double ms, guint64 site, guint64 pfn, guint8 migratetype)
{
	put(trace, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = pfn,
					 .migratetype = migratetype, .call_site = TEXT + site,
					 .bytes_req = 4096, .bytes_alloc = 4096 }, ms);
}

/* An object in a slab of its own, of a cache with a shrinker. */
static guint64 take_reclaimable(Trace *trace, double ms, guint64 site)
{
	put_pages(trace, ms - .001, SLAB, trace->next + 1, RECLAIMABLE);
	return take(trace, ms, site, 1024);
}

/* The last allocation was made by a function at @call, called by one at @caller. */
static void called_by(Trace *trace, guint64 call, guint64 caller)
{
	struct trace_event *last =
		&g_array_index(trace->events, struct trace_event, trace->events->len - 1);
	const uint64_t addrs[] = { last->call_site, TEXT + call, TEXT + caller };

	last->stack_id = builder_stack(trace->store.builder, addrs, G_N_ELEMENTS(addrs));
}

static void take_of_cache(Trace *trace, double ms, guint32 cache)
{
	struct trace_event *last;

	take(trace, ms, PLANTED, 256);
	last = &g_array_index(trace->events, struct trace_event, trace->events->len - 1);
	last->event = KMEMTRACE_EVENT_CACHE_ALLOC;
	last->cache = cache;
	if (cache == CACHE_AREA) {
		last->call_site = TEXT + VMAP_AREA;
		called_by(trace, PLANTED, IOCTL);
	}
}

static guint64 look_up_inode(Trace *trace, double ms)
{
	guint64 addr = take_reclaimable(trace, ms, INODE);

	called_by(trace, LOOKUP, WALK);
	return addr;
}

static void look_up_planted(Trace *trace, double ms)
{
	take(trace, ms, PLANTED, 64);
	called_by(trace, LOOKUP + 0x10, WALK);
}

static double uniform(Trace *trace, double from, double to)
{
	return g_rand_double_range(trace->random, from, to);
}

static double exponential(Trace *trace, double mean)
{
	return -mean * log(1 - g_rand_double(trace->random));
}

/* Other call sites: 50 short-lived objects each second. */
static void load(Trace *trace, double from_ms, double to_ms)
{
	for (double ms = from_ms; ms < to_ms; ms += 20)
		take_for(trace, ms, LOAD, exponential(trace, 30), to_ms);
}

/* The same, by another thread. */
static void other_load(Trace *trace, double from_ms, double to_ms)
{
	guint first = trace->events->len;

	load(trace, from_ms, to_ms);
	for (guint i = first; i < trace->events->len; i++)
		g_array_index(trace->events, struct trace_event, i).tid = 8;
}

/* Sets the minimum length of the trace. */
static void end_at(Trace *trace, double ms)
{
	give(trace, ms, take(trace, 0, LOAD, 64));
}

static void leak(Trace *trace, guint count, double from_ms, double to_ms)
{
	for (guint i = 0; i < count; i++)
		take(trace, from_ms + (to_ms - from_ms) * i / count, PLANTED, 256);
}

/* ---- planted leaks ---- */

static void idle_tail(Trace *trace)
{
	leak(trace, 200, 100, 2000);
	load(trace, 0, 2000);
	end_at(trace, 3000);
}

/* A program starts after the leak has ended; otherwise the tail is idle. */
static void tail_of_other_work(Trace *trace)
{
	leak(trace, 200, 100, 2000);
	load(trace, 0, 2000);
	other_load(trace, 2000, 3000);
	end_at(trace, 4000);
}

static void slow(Trace *trace)
{
	leak(trace, 20, 10000, 600000);
	for (double ms = 0; ms < 600000; ms += 500)
		take_for(trace, ms, LOAD, exponential(trace, 30), 600000);
}

static void bursts(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 5; i++)
		leak(trace, 40, 3000 + 12000 * i, 3010 + 12000 * i);
}

static void late(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 150, 52000, SPAN_MS);
}

static void beside_a_growing_cache(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++)
		take_reclaimable(trace, 1 + uniform(trace, 0, SPAN_MS - 2), INODE);
	leak(trace, 120, 0, SPAN_MS);
}

static void busy_site(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 20000; i++)
		take_for(trace, uniform(trace, 0, SPAN_MS), PLANTED,
			 i % 100 ? exponential(trace, 20) : INFINITY, SPAN_MS);
}

static void few_large_blocks(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 6; i++)
		take(trace, 5000 + 9000 * i, PLANTED, 1 << 20);
}

static void orphaned(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	builder_snapshot(trace->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1040000000000 0xffffffffc0001000 0x2000 mod\n"
			 "1041000000000 0 0xffffffffc0001000 0x2000 mod\n");
	for (guint i = 0; i < 20; i++) {
		guint64 addr = take(trace, 1000 + i, ORPHAN, 512);

		if (i >= 3)
			give(trace, 39999, addr);
	}
	take(trace, 42000, ORPHAN, 512);	/* in use */
}

static void error_path(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 600; i++)
		take_for(trace, 100 * i, PLANTED, i % 3 ? uniform(trace, 0, 1000) : INFINITY,
			 SPAN_MS);
}

static void faster_and_faster(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 200; i++)
		take(trace, SPAN_MS * sqrt(i / 200.), PLANTED, 256);
}

static void at_random_times(Trace *trace)
{
	double ms = 0;

	load(trace, 0, SPAN_MS);
	while ((ms += exponential(trace, 1000)) < SPAN_MS)
		take(trace, ms, PLANTED, 128);
}

static void late_in_an_old_site(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 8; i++)
		take(trace, 10 + i, PLANTED, 256);
	for (guint i = 0; i < 1000; i++)
		take_for(trace, 58 * i, PLANTED, exponential(trace, 50), SPAN_MS);
	leak(trace, 200, 40000, SPAN_MS);
}

static void pages(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 100; i++)
		put_pages(trace, 600 * i, PLANTED, 0x100000 + i, 0);
}

static void while_events_are_lost(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 200, 0, SPAN_MS);
	builder_lose(trace->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 5);
}

/* The thread also fills a cache, but not in the leaking function. */
static void beside_a_lookup(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++) {
		double ms = 1 + uniform(trace, 0, SPAN_MS - 2);

		look_up_inode(trace, ms);
		if (i % 4)
			continue;
		take(trace, ms + .01, PLANTED, 64);
		called_by(trace, IOCTL, WALK);
	}
}

static void more_than_inodes(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++) {
		double ms = 1 + uniform(trace, 0, SPAN_MS - 2);

		look_up_planted(trace, ms);
		if (i % 3)
			look_up_inode(trace, ms + .01);
	}
}

/* A lookup allocates both; the inodes of some are freed. */
static void left_by_inodes(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++) {
		double ms = 1 + uniform(trace, 0, SPAN_MS - 2);
		guint64 inode = look_up_inode(trace, ms);

		look_up_planted(trace, ms + .01);
		if (i % 3 == 0 && ms + 100 < SPAN_MS)
			give(trace, ms + 100, inode);
	}
}

/* More than the kernel ever keeps before unmapping. */
static void areas(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 9000; i++)
		take_of_cache(trace, SPAN_MS / 9000. * i, CACHE_AREA);
}

/* For much longer than a minute. */
static void sockets(Trace *trace)
{
	for (double ms = 0; ms < 300000; ms += 500) {
		take_for(trace, ms, LOAD, exponential(trace, 30), 300000);
		take_of_cache(trace, ms + 1, CACHE_SOCKET);
	}
}

/* It can't be distinguished from an initialisation. */
static void once(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 200, 20000, 20010);
}

/* ---- innocent ---- */

static void full_cache(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 200, 100, 20000);
}

/* The thread that filled it has ended; the machine continues. */
static void full_cache_of_an_ended_thread(Trace *trace)
{
	load(trace, 0, 12000);
	other_load(trace, 12000, SPAN_MS);
	leak(trace, 200, 100, 12000);
}

static void filling_cache(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 300; i++)
		take(trace, MIN(exponential(trace, 8000), SPAN_MS - 1), PLANTED, 256);
}

static void pool(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 100, 10, 20);
	for (guint i = 0; i < 3000; i++)
		take_for(trace, 20 * i, PLANTED, exponential(trace, 100), SPAN_MS);
}

static void sawtooth(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 590; i++)
		take_for(trace, 100 * i, PLANTED, 8000 - 100 * (i % 80), SPAN_MS);
}

static void initialisation(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 300, 30000, 30030);
}

static void slow_initialisation(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 300, 0, 4000);
}

static void warm_up_of_cpus(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint16 cpu = 0; cpu < 16; cpu++)
		take_on(trace, uniform(trace, 0, SPAN_MS), PLANTED, 4096, cpu);
}

static void slow_rcu(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 6000; i++)
		take_for(trace, 10 * i, PLANTED, uniform(trace, 100, 1500), SPAN_MS);
}

static void working_set(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 6000; i++)
		take_for(trace, 10 * i, PLANTED, exponential(trace, 5000), SPAN_MS);
}

static void lru_list(Trace *trace)
{
	guint64 addrs[256] = { 0 };

	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 3000; i++) {
		gint entry = i < 256 ? (gint)i : g_rand_int_range(trace->random, 10, 256);

		if (addrs[entry])
			give(trace, 20 * i, addrs[entry]);
		addrs[entry] = take(trace, 20 * i + 1, PLANTED, 256);
	}
}

static void late_but_short_lived(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 1000; i++)
		take_for(trace, 52000 + 8 * i, PLANTED, exponential(trace, 800), SPAN_MS);
}

static void large_ring(Trace *trace)
{
	guint64 addrs[6] = { 0 };

	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 30; i++) {
		if (addrs[i % 6])
			give(trace, 2000 * i, addrs[i % 6]);
		addrs[i % 6] = take(trace, 2000 * i + 1, PLANTED, 1 << 20);
	}
}

static void module_that_cleans_up(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	builder_snapshot(trace->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1040000000000 0xffffffffc0001000 0x2000 mod\n");
	for (guint i = 0; i < 300; i++)
		give(trace, 39990, take(trace, 100 * i, ORPHAN, 512));
}

static void growing_cache(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++)
		take_reclaimable(trace, 1 + uniform(trace, 0, SPAN_MS - 2), PLANTED);
}

static void part_of_a_growing_cache(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++) {
		double ms = 1 + uniform(trace, 0, SPAN_MS - 2);

		take_reclaimable(trace, ms, INODE);
		take(trace, ms + .01, PLANTED, 64);
	}
}

/* With every third inode, so the curves differ. */
static void part_of_some_inodes(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++) {
		double ms = 1 + uniform(trace, 0, SPAN_MS - 2);

		look_up_inode(trace, ms);
		if (g_rand_int_range(trace->random, 0, 3) == 0)
			look_up_planted(trace, ms + .01);
	}
}

/* Most inodes are freed, so they are in use, except those that have a part. */
static void part_of_old_inodes(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 900; i++) {
		double ms = 1 + uniform(trace, 0, SPAN_MS - 2);
		double life_ms = uniform(trace, 5000, 50000);
		guint64 inode = look_up_inode(trace, ms);

		if (i % 6 == 0)
			look_up_planted(trace, ms + .01);
		else if (ms + life_ms < SPAN_MS)
			give(trace, ms + life_ms, inode);
	}
}

/* Its slabs are from before the trace, but the recorder has read its flags. */
static void cache_in_old_slabs(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 300; i++)
		take_of_cache(trace, 200 * i, CACHE_FLAGGED);
}

static void areas_to_unmap(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 300; i++)
		take_of_cache(trace, 200 * i, CACHE_AREA);
}

static void sockets_that_wait(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 300; i++)
		take_of_cache(trace, 200 * i, CACHE_SOCKET);
}

static void memory_of_processes(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 500; i++)
		put_pages(trace, 119 * i, PLANTED, 0x100000 + i, MOVABLE);
}

/* Pages of links in the page cache are not movable. */
static void page_cache_of_links(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 300; i++) {
		put_pages(trace, 190 * i, FILEMAP, 0x100000 + i, UNMOVABLE);
		called_by(trace, PLANTED, LOOKUP);
	}
}

static void two_initialisations(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 60, 3000, 3010);
	leak(trace, 90, 40000, 40010);
	leak(trace, 12, 0, SPAN_MS);
}

/* The same number at each power of two. */
static void long_tail(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 6000; i++)
		take_for(trace, 10 * i, PLANTED, exp(uniform(trace, 0, log(200000))), SPAN_MS);
}

static void freed_bursts(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	for (guint i = 0; i < 12; i++) {
		for (guint j = 0; j < 40; j++)
			take_for(trace, 5000 * i + j, PLANTED, 4900, SPAN_MS);
	}
}

/* Connections that stay open beyond the end of the trace: leaks can't know that they end. */
static void growing_load(Trace *trace)
{
	load(trace, 0, SPAN_MS);
	leak(trace, 100, 0, SPAN_MS);
}

/* ---- the output of leaks ---- */

typedef struct {
	const char *name;
	void (*build)(Trace *trace);
	gboolean leaks;
	const char *verdict; /* of the leak; NULL: it is no suspect */
	const char *confidence;
	gboolean known; /* known to be judged wrongly, which counts against leaks */
} LeakCase;

#define LEAK(name, ...) { #name, name, TRUE, __VA_ARGS__ }
#define INNOCENT(name, ...) { #name, name, FALSE, __VA_ARGS__ }

static const LeakCase cases[] = {
	LEAK(idle_tail, "likely leak", "medium", FALSE),
	LEAK(tail_of_other_work, "likely leak", "medium", FALSE),
	LEAK(slow, "likely leak", "medium", FALSE),
	LEAK(bursts, "likely leak", "high", FALSE),
	LEAK(late, "likely leak", "high", FALSE),
	LEAK(beside_a_growing_cache, "likely leak", "high", FALSE),
	LEAK(busy_site, "likely leak", "high", FALSE),
	LEAK(few_large_blocks, "likely leak", "low", FALSE),
	LEAK(orphaned, "orphan", "high", FALSE),
	LEAK(error_path, "likely leak", "high", FALSE),
	LEAK(faster_and_faster, "likely leak", "high", FALSE),
	LEAK(at_random_times, "likely leak", "medium", FALSE),
	LEAK(late_in_an_old_site, "likely leak", "high", FALSE),
	LEAK(pages, "likely leak", "high", FALSE),
	LEAK(while_events_are_lost, "likely leak", "medium", FALSE),
	LEAK(beside_a_lookup, "likely leak", "high", FALSE),
	LEAK(more_than_inodes, "likely leak", "high", FALSE),
	LEAK(left_by_inodes, "likely leak", "high", FALSE),
	LEAK(areas, "likely leak", "high", FALSE),
	LEAK(sockets, "likely leak", "high", FALSE),
	LEAK(once, NULL, NULL, TRUE),
	INNOCENT(full_cache, NULL, NULL, FALSE),
	INNOCENT(full_cache_of_an_ended_thread, NULL, NULL, FALSE),
	INNOCENT(filling_cache, NULL, NULL, FALSE),
	INNOCENT(pool, NULL, NULL, FALSE),
	INNOCENT(sawtooth, NULL, NULL, FALSE),
	INNOCENT(initialisation, NULL, NULL, FALSE),
	INNOCENT(slow_initialisation, NULL, NULL, FALSE),
	INNOCENT(warm_up_of_cpus, NULL, NULL, FALSE),
	INNOCENT(slow_rcu, NULL, NULL, FALSE),
	INNOCENT(working_set, NULL, NULL, FALSE),
	INNOCENT(lru_list, NULL, NULL, FALSE),
	INNOCENT(late_but_short_lived, NULL, NULL, FALSE),
	INNOCENT(large_ring, NULL, NULL, FALSE),
	INNOCENT(module_that_cleans_up, NULL, NULL, FALSE),
	INNOCENT(growing_cache, NULL, NULL, FALSE),
	INNOCENT(part_of_a_growing_cache, NULL, NULL, FALSE),
	INNOCENT(part_of_some_inodes, NULL, NULL, FALSE),
	INNOCENT(part_of_old_inodes, NULL, NULL, FALSE),
	INNOCENT(cache_in_old_slabs, NULL, NULL, FALSE),
	INNOCENT(areas_to_unmap, NULL, NULL, FALSE),
	INNOCENT(sockets_that_wait, NULL, NULL, FALSE),
	INNOCENT(memory_of_processes, NULL, NULL, FALSE),
	INNOCENT(page_cache_of_links, NULL, NULL, FALSE),
	INNOCENT(two_initialisations, NULL, NULL, FALSE),
	INNOCENT(long_tail, NULL, NULL, FALSE),
	INNOCENT(freed_bursts, NULL, NULL, FALSE),
	INNOCENT(growing_load, "likely leak", "high", TRUE),
};

static gint compare_times(gconstpointer a, gconstpointer b)
{
	const struct trace_event *one = a, *other = b;

	return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

/* The output of leaks for the case, for free(). */
static char *leaks_of(const LeakCase *known, gboolean json)
{
	const LeaksOptions options = { .by = "site", .limit = 9, .older_ns = LEAKS_NS_NONE };
	Trace trace = { 0 };
	char *text;

	trace_init(&trace);
	known->build(&trace);
	g_array_sort(trace.events, compare_times);
	for (guint i = 0; i < trace.events->len; i++) {
		struct trace_event event = g_array_index(trace.events, struct trace_event, i);

		builder_event(trace.store.builder, event.cpu, event);
	}
	check_store_load(&trace.store);
	text = check_answer(&trace.store, leaks_print, &options, json);
	trace_clear(&trace);
	return text;
}

typedef struct {
	guint planted, others; /* suspects, from "likely leak" up */
	char *verdict, *confidence; /* of the planted one; NULL: none */
} Found;

static void found_clear(Found *found)
{
	g_free(found->verdict);
	g_free(found->confidence);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Found, found_clear)

static void read_suspect(JsonObject *suspect, Found *found)
{
	const char *verdict = json_object_get_string_member(suspect, "verdict");
	const char *holder = json_object_get_string_member(suspect, "holder");
	gboolean planted = !strcmp(holder, "planted") || !strcmp(holder, "orphan");

	if (!strcmp(verdict, "possible leak"))
		return;
	found->planted += planted;
	found->others += !planted;
	if (!planted || found->verdict)
		return;
	found->verdict = g_strdup(verdict);
	found->confidence = g_strdup(json_object_get_string_member(suspect, "confidence"));
}

static Found find(const LeakCase *known)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	char *text = leaks_of(known, TRUE);
	GError *error = NULL;
	JsonArray *suspects;
	Found found = { 0 };

	json_parser_load_from_data(parser, text, -1, &error);
	g_assert_no_error(error);
	free(text);
	suspects = json_object_get_array_member(json_node_get_object(json_parser_get_root(parser)),
						"suspects");
	for (guint i = 0; i < json_array_get_length(suspects); i++)
		read_suspect(json_array_get_object_element(suspects, i), &found);
	return found;
}

static void case_has_its_verdict(gconstpointer data)
{
	const LeakCase *known = data;
	g_auto(Found) found = find(known);

	g_assert_cmpstr(found.verdict, ==, known->verdict);
	g_assert_cmpstr(found.confidence, ==, known->confidence);
	g_assert_cmpuint(found.others, ==, 0);
	g_assert_true(known->known || known->leaks == (known->verdict != NULL));
}

static void precision_and_recall_are_as_stated(void)
{
	guint planted = 0, hits = 0, suspects = 0;

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Found) found = find(&cases[i]);

		if (g_test_verbose())
			g_test_message("%s: %s, %s, %u others", cases[i].name, found.verdict ?: "-",
				       found.confidence ?: "-", found.others);
		planted += cases[i].leaks;
		hits += cases[i].leaks && found.planted;
		suspects += found.planted + found.others;
	}
	g_test_message("%u leaks, %u innocent; %u suspects, of which %u leak: precision %u %%, "
		       "recall %u %%", planted, (guint)G_N_ELEMENTS(cases) - planted, suspects, hits,
		       hits * 100 / suspects, hits * 100 / planted);
	g_assert_cmpuint(hits * 100, >=, suspects * PRECISION_MIN);
	g_assert_cmpuint(hits * 100, >=, planted * RECALL_MIN);
}

static const LeakCase *case_of(const char *name)
{
	guint i = 0;

	while (strcmp(cases[i].name, name) != 0)
		i++;
	return &cases[i];
}

/* The output of leaks for a case, with each verdict in one line, however long. */
static char *unwrapped_leaks_of(const char *name)
{
	g_autofree char *text = leaks_of(case_of(name), FALSE);
	g_auto(GStrv) parts = g_strsplit(text, "\n    ", -1);

	return g_strjoinv(" ", parts);
}

static void verdict_comes_with_its_evidence(void)
{
	char *text = unwrapped_leaks_of("idle_tail");

	check_has(text, "\nlikely leak: planted, 200 allocated, 0 freed, 200 live, 50.0K of kind slab, +26.4K/s over its active "
			"1.89s, the oldest from 100.0ms at 0xffff888000001000, confidence medium: the trace covers 3.00s\n"
			"events there: kmemtrace-user script --stacks --relative --address 0xffff888000001000 t.kmt\n"
			"\n1 likely leak among the call sites\n");
	g_free(text);
	text = unwrapped_leaks_of("full_cache");
	check_has(text, "\nno call site keeps growing\n");
	check_has_not(text, "likely leak:");
	check_has_not(text, "drop_caches");
	g_free(text);
	text = unwrapped_leaks_of("part_of_some_inodes");
	check_has(text, "\npossible leak: planted, ");
	check_has(text, "confidence low: it grows with inode, which is reclaimable\n");
	check_has(text, "\nA cache that fills grows like a leak. ");
	check_has(text, "\n\n2 possible leaks among the call sites\n");
	g_free(text);
	text = unwrapped_leaks_of("areas_to_unmap");
	check_has(text, "confidence low: the kernel frees it with a delay\n");
	g_free(text);
	text = unwrapped_leaks_of("orphaned");
	check_has(text, "\norphan: orphan [mod], 21 allocated, 17 freed");
	check_has(text, ", 3 from before its module was unloaded, ");
	check_has(text, "\n1 orphan among the call sites\n");
	g_free(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/leak-cases/", cases[i].name, NULL);

		g_test_add_data_func(path, &cases[i], case_has_its_verdict);
	}
	g_test_add_func("/leak-cases/verdict_comes_with_its_evidence", verdict_comes_with_its_evidence);
	g_test_add_func("/leak-cases/precision_and_recall_are_as_stated", precision_and_recall_are_as_stated);
	return g_test_run();
}
