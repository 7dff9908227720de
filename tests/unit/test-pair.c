// SPDX-License-Identifier: GPL-2.0-or-later
/* Pairing of frees and allocations, including those that don't match one-to-one. */
#include <glib.h>
#include <string.h>

#include "analysis/pairing/pair.h"
#include "analysis/pairing/rcufrees.h"
#include "analysis/pairing/tasks.h"

#define BASE	G_GUINT64_CONSTANT(0xffff888000000000)
#define SHIFT	12
#define ACCOUNT	0x400000U	/* __GFP_ACCOUNT */
#define OBJECT	(BASE + 0x1000040)	/* in frame 0x1000 */

typedef struct {
	guint64 addr, time_ns, end_ns;
	guint32 origin, end_origin, task, end_task, cpu, end_cpu;
	guint32 pieces, pages_freed, moves, alloc_seq;
	guint8 event, state, backing, context, end_context;
} Row;

typedef struct {
	Pair *pair;
	GArray *rows;			/* of Row */
	guint64 unmatched[2];		/* by PairClass */
	guint64 unmatched_pages;
	guint64 failed;
	guint64 late_addr;		/* of the last free matched late */
	guint64 failed_bytes;		/* of all failed allocations */
	guint32 backed[8];		/* origins of pages that turned out to back something */
	guint backed_count;
	guint64 now;			/* time of the next event, and its origin */
	guint32 cpu, tid, gfp;		/* of the next event, as its context */
	guint32 task, alloc_seq;		/* passed with the next event */
	guint8 context;
	guint8 backing;			/* implied by the stack of the next event */
} Fixture;

static void take_lifetime(gpointer data, const PairLifetime *lifetime)
{
	Fixture *fixture = data;
	Row row = {
		.addr = lifetime->addr,
		.time_ns = lifetime->time_ns,
		.end_ns = lifetime->end_ns,
		.origin = lifetime->origin,
		.end_origin = lifetime->end ? lifetime->end->origin : 0,
		.task = lifetime->task,
		.end_task = lifetime->end ? lifetime->end->task : 0,
		.cpu = lifetime->cpu,
		.end_cpu = lifetime->end ? lifetime->end->cpu : 0,
		.context = lifetime->context,
		.end_context = lifetime->end ? lifetime->end->context : 0,
		.alloc_seq = lifetime->alloc_seq,
		.pieces = lifetime->pieces,
		.pages_freed = lifetime->pages_freed,
		.moves = lifetime->moves,
		.event = lifetime->event,
		.state = lifetime->state,
		.backing = lifetime->backing,
	};

	g_assert_true((lifetime->end != NULL) == (lifetime->state == PAIR_FREED ||
						  lifetime->state == PAIR_FREED_RCU ||
						  lifetime->state == PAIR_FREEING));
	g_array_append_val(fixture->rows, row);
}

static void take_unmatched(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Fixture *fixture = data;

	fixture->unmatched[class]++;
	fixture->unmatched_pages += pages;
}

static void take_matched_late(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Fixture *fixture = data;

	fixture->late_addr = event->event->addr;
	fixture->unmatched[class]--;
	fixture->unmatched_pages -= pages;
}

static void take_failed(gpointer data, const PairEvent *event)
{
	Fixture *fixture = data;

	fixture->failed++;
	fixture->failed_bytes += event->event->bytes_alloc;
}

static void setup(Fixture *fixture, gconstpointer unused)
{
	PairSink sink = { take_lifetime, take_unmatched, take_matched_late, take_failed, fixture };

	fixture->pair = pair_new(SHIFT, BASE, &sink);
	fixture->rows = g_array_new(FALSE, FALSE, sizeof(Row));
	fixture->now = 1;
}

static void teardown(Fixture *fixture, gconstpointer unused)
{
	pair_free(fixture->pair);
	g_array_unref(fixture->rows);
}

/* The CPU and the thread of the next events. */
static void run_on(Fixture *fixture, guint32 cpu, guint32 tid)
{
	fixture->cpu = cpu;
	fixture->tid = tid;
}

static guint32 feed(Fixture *fixture, guint8 type, guint64 addr, guint32 bytes, guint8 order)
{
	struct trace_event event = {
		.time_ns = fixture->now,
		.addr = addr,
		.bytes_req = bytes,
		.bytes_alloc = bytes,
		.order = order,
		.cpu = fixture->cpu,
		.gfp = fixture->gfp,
		.tid = fixture->tid,
		.context = fixture->context,
		.event = type,
	};
	PairEvent paired = { &event, fixture->now, fixture->task, fixture->backing,
			     fixture->alloc_seq };

	fixture->now++;
	pair_feed(fixture->pair, &paired);
	return paired.origin;
}

static guint32 kmalloc(Fixture *fixture, guint64 addr, guint32 bytes)
{
	return feed(fixture, KMEMTRACE_EVENT_KMALLOC, addr, bytes, 0);
}

static guint32 cache_alloc(Fixture *fixture, guint64 addr, guint32 bytes)
{
	return feed(fixture, KMEMTRACE_EVENT_CACHE_ALLOC, addr, bytes, 0);
}

static guint32 kfree(Fixture *fixture, guint64 addr)
{
	return feed(fixture, KMEMTRACE_EVENT_KFREE, addr, 0, 0);
}

static guint32 cache_free(Fixture *fixture, guint64 addr)
{
	return feed(fixture, KMEMTRACE_EVENT_CACHE_FREE, addr, 0, 0);
}

static guint32 page_alloc(Fixture *fixture, guint64 pfn, guint8 order)
{
	return feed(fixture, KMEMTRACE_EVENT_PAGE_ALLOC, pfn, 4096U << MIN(order, 19), order);
}

static guint32 page_free(Fixture *fixture, guint64 pfn, guint8 order)
{
	return feed(fixture, KMEMTRACE_EVENT_PAGE_FREE, pfn, 4096U << MIN(order, 19), order);
}

static guint32 page_move_in(Fixture *f, guint64 from, guint64 to, guint8 order, guint32 outside)
{
	struct trace_event event = {
		.event = KMEMTRACE_EVENT_PAGE_MOVE,
		.time_ns = f->now,
		.addr = from,
		.bytes_req = to & G_MAXUINT32,
		.bytes_alloc = to >> 32,
		.gfp = outside,
		.order = order,
		.migratetype = 0xff,
	};
	PairEvent paired = { &event, f->now, 0, 0, 0 };

	pair_feed(f->pair, &paired);
	return f->now++;
}

static guint32 page_move(Fixture *f, guint64 from, guint64 to, guint8 order)
{
	return page_move_in(f, from, to, order, 0);
}

static const Row *row(Fixture *fixture, guint index)
{
	g_assert_cmpuint(index, <, fixture->rows->len);
	return &g_array_index(fixture->rows, Row, index);
}

static void expect_row(Fixture *fixture, guint index, guint32 origin, PairState state,
		       guint32 end_origin)
{
	const Row *r = row(fixture, index);

	g_assert_cmpuint(r->origin, ==, origin);
	g_assert_cmpuint(r->state, ==, state);
	g_assert_cmpuint(r->end_origin, ==, end_origin);
}

static void kfree_and_cache_free_end_either_kind(Fixture *f, gconstpointer unused)
{
	guint32 a = kmalloc(f, OBJECT, 64), b = cache_alloc(f, OBJECT + 64, 64), c, d;

	f->cpu = 3;	/* freed on another CPU */
	c = cache_free(f, OBJECT);	/* each free ends either kind */
	d = kfree(f, OBJECT + 64);
	g_assert_cmpuint(f->rows->len, ==, 2);
	expect_row(f, 0, a, PAIR_FREED, c);
	expect_row(f, 1, b, PAIR_FREED, d);
	g_assert_cmpuint(row(f, 0)->cpu, ==, 0);
	g_assert_cmpuint(row(f, 0)->end_cpu, ==, 3);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, c);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->matched, ==, 2);
}

static void lifetime_has_context_of_alloc_and_free(Fixture *f, gconstpointer unused)
{
	static const guint8 kinds[][2] = {
		{ KMEMTRACE_EVENT_KMALLOC, KMEMTRACE_EVENT_KFREE },
		{ KMEMTRACE_EVENT_PAGE_ALLOC, KMEMTRACE_EVENT_PAGE_FREE },
		{ KMEMTRACE_EVENT_PERCPU_ALLOC, KMEMTRACE_EVENT_PERCPU_FREE },
		{ KMEMTRACE_EVENT_VMAP_ALLOC, KMEMTRACE_EVENT_VMAP_FREE },
	};

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const Row *r;

		f->cpu = 3, f->task = 4, f->alloc_seq = 5, f->context = 1;
		feed(f, kinds[i][0], 0x5000, 64, 0);
		f->cpu = 6, f->task = 7, f->alloc_seq = 8, f->context = 2;
		feed(f, kinds[i][1], 0x5000, 0, 0);
		r = row(f, i);
		g_assert_cmpuint(r->cpu, ==, 3);
		g_assert_cmpuint(r->task, ==, 4);
		g_assert_cmpuint(r->alloc_seq, ==, 5);
		g_assert_cmpuint(r->context, ==, 1);
		g_assert_cmpuint(r->end_cpu, ==, 6);
		g_assert_cmpuint(r->end_task, ==, 7);
		g_assert_cmpuint(r->end_context, ==, 2);
		g_assert_cmpuint(r->pages_freed, ==, 0);
		g_assert_cmpuint(pair_stats(f->pair)->matched, ==, i + 1);
	}
	g_assert_cmpuint(pair_stats(f->pair)->allocs, ==, G_N_ELEMENTS(kinds));
	g_assert_cmpuint(pair_stats(f->pair)->peak_live, ==, 1);
}

/* More than the table's initial capacity. */
static void table_grows_with_live_allocations(Fixture *f, gconstpointer unused)
{
	enum { COUNT = 16384 - 2 };	/* fills the table up */

	for (guint i = 0; i < COUNT; i++)
		kmalloc(f, OBJECT + 64 * i, 64);
	g_assert_cmpuint(pair_live(f->pair), ==, COUNT);
	for (guint i = 0; i < COUNT; i += 2)
		kfree(f, OBJECT + 64 * i);
	g_assert_cmpuint(pair_live(f->pair), ==, COUNT / 2);
	g_assert_cmpuint(pair_stats(f->pair)->peak_live, ==, COUNT);
	pair_finish(f->pair);
	for (guint i = 0; i < COUNT / 2; i++)
		g_assert_cmphex(row(f, COUNT / 2 + i)->addr, ==, OBJECT + 64 * (2 * i + 1));
	g_assert_cmpuint(pair_stats(f->pair)->free_unseen, ==, 0);
	pair_free(NULL);
}

static void reused_address_ends_the_allocation(Fixture *f, gconstpointer unused)
{
	guint32 a = kmalloc(f, OBJECT, 64), b = kmalloc(f, OBJECT, 32), c;

	expect_row(f, 0, a, PAIR_FREE_UNSEEN, 0);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, b);
	c = kfree(f, OBJECT);
	expect_row(f, 1, b, PAIR_FREED, c);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 2);
}

/* ---- allocations that fail after they got their pages ---- */

static void free_of_failed_page_allocation_is_undone(Fixture *f, gconstpointer unused)
{
	page_free(f, 0x1000, 2);	/* another one: something happens in between */
	kfree(f, OBJECT);
	page_alloc(f, 0, 2);
	page_free(f, 0x2000, 0);	/* another one: a different number of pages */
	page_alloc(f, 0, 1);
	g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 0);
	page_free(f, 0x3000, 1);
	feed(f, KMEMTRACE_EVENT_TASK, 0, 0, 0);
	page_alloc(f, 0, 1);
	page_alloc(f, 0, 1);
	g_assert_cmphex(f->late_addr, ==, 0x3000);
	g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 3);
	g_assert_cmpuint(pair_stats(f->pair)->failed, ==, 4);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 3);
	g_assert_cmpuint(f->unmatched_pages, ==, 4 + 1);
}

/*
 * Only pages charged to a cgroup are freed again, in the same flow of control, and then nothing
 * else happens until the failure is recorded.
 */
static void only_charged_free_of_same_context_is_undone(Fixture *f, gconstpointer unused)
{
	static const struct {
		guint32 tid, later_tid, later_cpu, gfp;
		guint8 context, later_context;
		guint64 later_ns;
		gboolean undone;
	} cases[] = {
		{ 7, 7, 0, ACCOUNT, 0, 0, 1, TRUE },
		{ 7, 7, 1, ACCOUNT, 0, 0, 1, TRUE },	/* the thread may migrate */
		{ 7, 7, 0, ACCOUNT | 1, 0, 0, 1000000000, TRUE },
		{ 7, 7, 0, 1, 0, 0, 1, FALSE },
		{ 7, 7, 0, ACCOUNT, 0, 0, 1000000001, FALSE },
		{ 7, 8, 0, ACCOUNT, 0, 0, 1, FALSE },
		{ 7, 7, 0, ACCOUNT, 0, 1, 1, FALSE },
		{ 7, 7, 0, ACCOUNT, 1, 1, 1, TRUE },
		{ 7, 7, 1, ACCOUNT, 1, 1, 1, FALSE },
		{ 0, 0, 0, ACCOUNT, 0, 0, 1, TRUE },
		{ 0, 0, 1, ACCOUNT, 0, 0, 1, FALSE },
		{ 0, 0, 4096, ACCOUNT, 0, 0, 1, FALSE },	/* kept in the same place */
		{ 7, 4096 + 7, 0, ACCOUNT, 0, 0, 1, FALSE },
	};

	pair_set_account(f->pair, ACCOUNT);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint64 before = pair_stats(f->pair)->undone;

		f->gfp = 0;
		run_on(f, 0, cases[i].tid);
		f->context = cases[i].context;
		page_free(f, 0x1000 + i, 0);
		f->gfp = cases[i].gfp;
		run_on(f, cases[i].later_cpu, cases[i].later_tid);
		f->context = cases[i].later_context;
		f->now += cases[i].later_ns - 1;
		page_alloc(f, 0, 0);
		if ((pair_stats(f->pair)->undone - before == 1) != cases[i].undone)
			g_error("case %u", i);
		f->now += 10000000;
	}
}

/* An event of the same thread between free and failure: the free doesn't belong to the failure. */
static void other_event_of_the_thread_prevents_undo(Fixture *f, gconstpointer unused)
{
	static const guint8 no_deeds[] = {
		KMEMTRACE_EVENT_TASK, KMEMTRACE_EVENT_EXTFRAG, KMEMTRACE_EVENT_ZONE_LOCKED,
		KMEMTRACE_EVENT_PCPU_DRAIN, KMEMTRACE_EVENT_COMPACT,
		KMEMTRACE_EVENT_PAGE_ALLOC,	/* the failure itself */
	};

	for (guint type = KMEMTRACE_EVENT_KMALLOC; type < KMEMTRACE_EVENT_NR; type++) {
		gboolean is_deed = !memchr(no_deeds, type, sizeof(no_deeds));

		page_free(f, 0x1000 + type, 0);
		feed(f, type, 0, 0, 0);
		page_alloc(f, 0, 0);
		if ((f->late_addr == 0x1000 + type) == is_deed)
			g_error("event %u", type);
	}
}

/* Events of thread 0 on CPU 1 don't prevent undoing thread 0's free on CPU 0. */
static void idle_threads_of_cpus_are_kept_apart(Fixture *f, gconstpointer unused)
{
	page_free(f, 0x1000, 0);
	f->cpu = 1;
	page_free(f, 0x2000, 0);
	kmalloc(f, OBJECT, 64);
	f->cpu = 0;
	page_alloc(f, 0, 0);
	g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 1);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
}

/* Otherwise it would match the next allocation of these pages. */
static void undone_free_matches_no_later_allocation(Fixture *f, gconstpointer unused)
{
	guint32 alloc;

	f->cpu = 1;
	page_free(f, 0x1000, 0);
	page_alloc(f, 0, 0);
	f->cpu = 0;
	alloc = page_alloc(f, 0x1000, 0);
	pair_finish(f->pair);
	expect_row(f, 0, alloc, PAIR_LIVE, 0);
	g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->early, ==, 0);
}

/* Clocks differ: the free ended another allocation, so it isn't the failed one's. */
static void matched_early_free_is_not_undone(Fixture *f, gconstpointer unused)
{
	guint32 free, alloc;

	f->cpu = 1;
	free = page_free(f, 0x1000, 0);
	run_on(f, 0, 7);
	alloc = page_alloc(f, 0x1000, 0);
	page_alloc(f, 0x1000, 0);
	run_on(f, 1, 0);
	page_alloc(f, 0, 0);
	expect_row(f, 0, alloc, PAIR_FREED, free);
	g_assert_cmpuint(pair_stats(f->pair)->early, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->matched, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 0);
}

/*
 * CPU 1 seems to free what CPU 0 allocates a little later. The free is undone if that allocation
 * has a free of its own; otherwise CPU 1's last free is undone, although it is another one.
 */
static void early_free_differs_from_undone_free(Fixture *f, gconstpointer unused)
{
	for (guint is_own = 0; is_own < 2; is_own++) {
		run_on(f, 1, 0);
		page_free(f, 0x1000, 0);
		run_on(f, 0, 7);
		page_alloc(f, 0x1000, 0);
		if (is_own)
			page_free(f, 0x1000, 0);
		run_on(f, 1, 0);
		if (!is_own)
			page_free(f, 0x2000, 0);
		run_on(f, 0, 7);
		page_alloc(f, 0x1000, 0);
		run_on(f, 1, 0);
		page_alloc(f, 0, 0);
		g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 1);
		g_assert_cmpuint(pair_stats(f->pair)->early, ==, !is_own);
		g_assert_cmphex(f->late_addr, ==, is_own ? 0x1000 : 0x2000);
		teardown(f, unused);
		setup(f, unused);
	}
}

/* An open allocation may be waiting for this free, so it isn't undone. */
static void early_free_of_open_allocation_is_not_undone(Fixture *f, gconstpointer unused)
{
	guint32 free, alloc;

	f->cpu = 1;
	free = page_free(f, 0x1000, 0);
	run_on(f, 0, 7);
	alloc = page_alloc(f, 0x1000, 0);
	run_on(f, 1, 0);
	page_alloc(f, 0, 0);
	g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 0);
	pair_finish(f->pair);
	expect_row(f, 0, alloc, PAIR_FREED, free);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 0);
}

/* Undoing a free leaves another free, which differs in one property, to its allocation. */
static void undo_removes_exactly_one_free(Fixture *f, gconstpointer unused)
{
	static const struct {
		guint8 free, alloc;
		guint32 cpu;
		guint64 addr, before;
	} others[] = {
		{ KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, 1, 0x1000, 0 },
		{ KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 2, 0x1000, 0 },
		{ KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0x2000, 0 },
		{ KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0x1000, 1 },
	};

	for (guint n = 0; n < 2 * G_N_ELEMENTS(others); n++) {
		guint i = n / 2;

		run_on(f, others[i].cpu, 5);
		feed(f, others[i].free, others[i].addr, 0, 0);
		f->now -= 1 - others[i].before;
		run_on(f, 1, 0);
		page_free(f, 0x1000, 0);
		for (guint step = 0; step < 2; step++) {	/* in both orders, if known */
			f->cpu = step == n % 2;
			if (f->cpu)
				page_alloc(f, 0, 0);
			else
				feed(f, others[i].alloc, others[i].addr, 64, 0);
		}
		pair_finish(f->pair);
		g_assert_cmpuint(pair_stats(f->pair)->undone, ==, 1);
		g_assert_cmpuint(row(f, 0)->state, ==, PAIR_FREED);
		g_assert_cmpuint(row(f, 0)->end_cpu, ==, others[i].cpu);
		teardown(f, unused);
		setup(f, unused);
	}
}

/* ---- clocks of two CPUs that differ ---- */

/* A free on CPU 1, and an allocation on CPU 0 @later ns after it. Returns the free's origin. */
static guint32 free_early(Fixture *f, guint8 free, guint8 alloc, guint64 addr, guint64 later)
{
	guint32 origin;

	f->cpu = 1;
	origin = feed(f, free, addr, 0, 0);
	f->cpu = 0;
	f->now += later - 1;
	feed(f, alloc, addr, 64, 0);
	return origin;
}

static void free_just_before_allocation_is_matched(Fixture *f, gconstpointer unused)
{
	static const struct {
		guint8 free, alloc;
	} kinds[] = {
		{ KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC },
		{ KMEMTRACE_EVENT_CACHE_FREE, KMEMTRACE_EVENT_CACHE_ALLOC },
		{ KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC },
		{ KMEMTRACE_EVENT_PERCPU_FREE, KMEMTRACE_EVENT_PERCPU_ALLOC },
		{ KMEMTRACE_EVENT_VMAP_FREE, KMEMTRACE_EVENT_VMAP_ALLOC },
	};
	guint32 origins[G_N_ELEMENTS(kinds)];

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		origins[i] = free_early(f, kinds[i].free, kinds[i].alloc, 0x5000 + i,
					PAIR_SKEW_NS);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, G_N_ELEMENTS(kinds));
	pair_finish(f->pair);
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const Row *r = row(f, i);

		g_assert_cmpuint(r->state, ==, PAIR_FREED);
		g_assert_cmpuint(r->end_origin, ==, origins[i]);
		g_assert_cmpuint(r->end_cpu, ==, 1);
		g_assert_cmpuint(r->end_ns, ==, r->time_ns);
		g_assert_cmpuint(r->pieces, ==, 1);
	}
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 0);
	g_assert_cmpuint(f->unmatched_pages, ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->early, ==, G_N_ELEMENTS(kinds));
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 0);
}

/* They don't count as left over, though they end no sooner. */
static void early_frees_are_settled_before_what_is_left(Fixture *f, gconstpointer unused)
{
	static const guint8 states[] = { PAIR_FREED, PAIR_FREED, PAIR_LIVE, PAIR_FREEING,
					 PAIR_LIVE };

	kmalloc(f, OBJECT, 64);
	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT + 64, 200);
	kmalloc(f, OBJECT + 128, 64);
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, OBJECT + 128, 0, 0);
	free_early(f, KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 0x3000, 200);
	page_alloc(f, 0x4000, 0);
	g_assert_cmpuint(f->rows->len, ==, 0);
	g_assert_cmpuint(pair_finish(f->pair), ==, 3);
	g_assert_cmpuint(f->rows->len, ==, G_N_ELEMENTS(states));
	for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
		g_assert_cmpuint(row(f, i)->state, ==, states[i]);
		g_assert_true(i == 0 || i == 2 || row(f, i)->time_ns > row(f, i - 1)->time_ns);
	}
}

/* Not on the same CPU, whose order is known; not of another order; not by more than the skew. */
static void early_free_needs_other_cpu_same_kind_and_small_skew(Fixture *f, gconstpointer unused)
{
	kfree(f, OBJECT);
	kmalloc(f, OBJECT, 64);
	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT + 64,
		   PAIR_SKEW_NS + 1);
	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_PERCPU_ALLOC, OBJECT + 128, 1);
	f->cpu = 1;
	page_free(f, 0x2000, 1);
	f->cpu = 0;
	page_alloc(f, 0x2000, 0);
	free_early(f, KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_KMALLOC, 0x3000, 1);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 5);
	for (guint i = 0; i < f->rows->len; i++)
		g_assert_cmpuint(row(f, i)->state, ==, PAIR_LIVE);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 5);
}

/* An old object is freed and its address reused at once on another CPU: its own free decides. */
static void later_free_wins_over_early_free(Fixture *f, gconstpointer unused)
{
	guint32 end;

	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT, 200);
	end = kfree(f, OBJECT);
	g_assert_cmpuint(f->rows->len, ==, 1);
	g_assert_cmpuint(row(f, 0)->end_origin, ==, end);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	free_early(f, KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 0x3000, 200);
	end = page_free(f, 0x3000, 0);
	g_assert_cmpuint(row(f, 1)->end_origin, ==, end);
	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT, 200);
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, OBJECT, 0, 0);
	pair_finish(f->pair);
	g_assert_cmpuint(row(f, 2)->state, ==, PAIR_FREEING);
	g_assert_cmpuint(f->rows->len, ==, 3);
	g_assert_cmpuint(pair_stats(f->pair)->early, ==, 0);
}

/* Its address is reused, or its page freed, without a free: then the early free was its own. */
static void early_free_ends_allocation_without_own_free(Fixture *f, gconstpointer unused)
{
	guint32 early;

	page_alloc(f, 0x1000, 0);
	early = free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT, 200);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, 1);
	f->now += 10000;
	kmalloc(f, OBJECT, 64);
	g_assert_cmpuint(row(f, 0)->state, ==, PAIR_FREED);
	g_assert_cmpuint(row(f, 0)->end_origin, ==, early);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, 0);
	early = free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT + 64, 200);
	page_free(f, 0x1000, 0);
	g_assert_cmpuint(row(f, 1)->end_origin, ==, early);
	g_assert_cmpuint(row(f, 2)->state, ==, PAIR_FREE_UNSEEN);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, 0);
	early = free_early(f, KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 0x4000, 200);
	page_alloc(f, 0x4000, 0);
	g_assert_cmpuint(row(f, 4)->end_origin, ==, early);
	g_assert_cmpuint(f->unmatched_pages, ==, 0);
}

/* More unmatched frees than are remembered. */
static void number_of_early_frees_is_bounded(Fixture *f, gconstpointer unused)
{
	f->cpu = 1;
	for (guint i = 0; i < 100; i++)
		kfree(f, OBJECT + 64 * i);
	f->cpu = 0;
	for (guint i = 0; i < 100; i++)
		kmalloc(f, OBJECT + 64 * i, 64);
	pair_finish(f->pair);
	for (guint i = 0; i < 100; i++)
		g_assert_cmpuint(row(f, i)->state, ==, row(f, i)->end_cpu ? PAIR_FREED : PAIR_LIVE);
	g_assert_cmpuint(pair_stats(f->pair)->early, ==, 16);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 84);
}

static void null_free_is_not_unmatched(Fixture *f, gconstpointer unused)
{
	for (guint64 addr = 0; addr <= 16; addr++) {
		kfree(f, addr);
		cache_free(f, addr);
	}
	g_assert_cmpuint(pair_stats(f->pair)->null_pointers, ==, 34);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 0);
	kfree(f, 17);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, 16, 0, 0);
	kmalloc(f, 16, 0);
	g_assert_cmpuint(pair_stats(f->pair)->null_pointers, ==, 36);
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, 17, 0, 0);
	kmalloc(f, 17, 1);
	g_assert_cmpuint(pair_stats(f->pair)->null_pointers, ==, 36);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 2);
	g_assert_cmpuint(pair_live(f->pair), ==, 1);
}

static void failed_allocation_has_no_lifetime(Fixture *f, gconstpointer unused)
{
	kmalloc(f, 0, 64);
	cache_alloc(f, 0, 64);
	page_alloc(f, 0, 3);
	kmalloc(f, 16, 0);
	pair_finish(f->pair);
	g_assert_cmpuint(f->failed, ==, 3);
	g_assert_cmpuint(f->rows->len, ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->allocs, ==, 0);
}

static void block_ends_with_its_last_piece(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x100, 2), last;

	page_free(f, 0x100, 0);
	page_free(f, 0x103, 0);
	page_free(f, 0x101, 0);
	g_assert_cmpuint(f->rows->len, ==, 0);
	last = page_free(f, 0x102, 0);
	expect_row(f, 0, a, PAIR_FREED, last);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 4);
	g_assert_cmpuint(f->unmatched_pages, ==, 0);
}

/* A block freed in parts: one with an extra reference, then the rest order by order. */
static void partly_freed_block_counts_freed_pages(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x100, 3);

	page_free(f, 0x100, 0);
	page_free(f, 0x104, 2);
	pair_finish(f->pair);
	expect_row(f, 0, a, PAIR_LIVE, 0);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 2);
	g_assert_cmpuint(row(f, 0)->pages_freed, ==, 5);
}

static void free_of_larger_order_ends_all_blocks_in_it(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x200, 1), b = page_alloc(f, 0x202, 0),
		c = page_alloc(f, 0x203, 0), end;

	end = page_free(f, 0x200, 2);	/* three owners at the same time */
	g_assert_cmpuint(f->rows->len, ==, 3);
	expect_row(f, 0, a, PAIR_FREED, end);
	expect_row(f, 1, b, PAIR_FREED, end);
	expect_row(f, 2, c, PAIR_FREED, end);
	g_assert_cmpuint(pair_stats(f->pair)->matched, ==, 1);
}

static void free_counts_its_unmatched_pages(Fixture *f, gconstpointer unused)
{
	page_alloc(f, 0x300, 0);
	page_free(f, 0x300, 3);
	g_assert_cmpuint(f->unmatched_pages, ==, 7);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 0);
	page_free(f, 0x300, 3);
	g_assert_cmpuint(f->unmatched_pages, ==, 15);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 1);
}

static void overlapped_block_is_freed_unseen(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x400, 2), b, c, end;

	b = page_alloc(f, 0x402, 1);
	g_assert_cmpuint(f->rows->len, ==, 0);	/* half of it is left */
	c = page_alloc(f, 0x400, 1);
	expect_row(f, 0, a, PAIR_FREE_UNSEEN, 0);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, c);
	end = page_free(f, 0x400, 2);
	expect_row(f, 1, c, PAIR_FREED, end);
	expect_row(f, 2, b, PAIR_FREED, end);
}

static void half_overlapped_block_is_freed_unseen(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x400, 1);

	page_alloc(f, 0x401, 0);
	page_free(f, 0x400, 0);
	expect_row(f, 0, a, PAIR_FREE_UNSEEN, 0);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 1);
}

static void pages_of_large_kmalloc_are_its_backing(Fixture *f, gconstpointer unused)
{
	guint32 pages = page_alloc(f, 0x1000, 3), object = kmalloc(f, BASE + 0x1000000, 32768),
		end[2];

	end[0] = kfree(f, BASE + 0x1000000);
	end[1] = page_free(f, 0x1000, 3);
	expect_row(f, 0, object, PAIR_FREED, end[0]);
	expect_row(f, 1, pages, PAIR_FREED, end[1]);
	g_assert_cmpuint(row(f, 0)->backing, ==, PAIR_BACKING_NONE);
	g_assert_cmpuint(row(f, 1)->backing, ==, PAIR_BACKING_KMALLOC);
}

/* 6.12 has two events for one large kmalloc. After its free, the same address is a new object. */
static void second_event_of_large_kmalloc_is_merged(Fixture *f, gconstpointer unused)
{
	guint32 first, second, again, end;

	page_alloc(f, 0x1000, 3);
	first = kmalloc(f, BASE + 0x1000000, 32768);
	second = kmalloc(f, BASE + 0x1000000, 32768);
	end = kfree(f, BASE + 0x1000000);
	expect_row(f, 0, second, PAIR_FREED, end);
	g_assert_cmpuint(row(f, 0)->time_ns, ==, first);
	g_assert_cmpuint(pair_stats(f->pair)->duplicates, ==, 1);
	page_free(f, 0x1000, 3);
	page_alloc(f, 0x1000, 3);
	again = kmalloc(f, BASE + 0x1000000, 32768);
	end = kfree(f, BASE + 0x1000000);
	expect_row(f, 2, again, PAIR_FREED, end);
	g_assert_cmpuint(pair_stats(f->pair)->duplicates, ==, 1);
}

/* All at one address; each but the first ends the previous one. */
static void different_kmallocs_at_one_address_are_not_merged(Fixture *f, gconstpointer unused)
{
	guint64 addr = BASE + 0x1008000;

	page_alloc(f, 0x1000, 4);
	kmalloc(f, addr, 32768);	/* it is in the first block */
	f->backing = PAIR_BACKING_KMALLOC;
	page_alloc(f, 0x1008, 3);
	f->backing = PAIR_BACKING_NONE;
	kmalloc(f, addr, 32768);
	f->task = 1;
	kmalloc(f, addr, 32768);
	cache_alloc(f, addr, 32768);
	kmalloc(f, addr, 32768);
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, addr, 0, 0);
	kmalloc(f, addr, 32768);
	g_assert_cmpuint(pair_stats(f->pair)->duplicates, ==, 0);
	g_assert_cmpuint(f->rows->len, ==, 5);
	for (guint i = 0; i < 5; i++)
		g_assert_cmpuint(row(f, i)->state, ==, i == 4 ? PAIR_FREED_RCU : PAIR_FREE_UNSEEN);
	kmalloc(f, addr, 32768);
	g_assert_cmpuint(pair_stats(f->pair)->duplicates, ==, 1);
}

static guint32 take_resized(gpointer data, guint32 origin, const PairEvent *event)
{
	return origin * 1000 + event->event->bytes_req;
}

/* It remains one allocation, with the last size. */
static void a_resized_object_has_its_last_size(Fixture *f, gconstpointer unused)
{
	guint32 first = kmalloc(f, OBJECT, 100), other = kmalloc(f, OBJECT + 128, 100), end;

	feed(f, KMEMTRACE_EVENT_RESIZE, OBJECT, 110, 0);	/* no callback is set */
	pair_set_resized(f->pair, take_resized);
	feed(f, KMEMTRACE_EVENT_RESIZE, OBJECT, 120, 0);
	feed(f, KMEMTRACE_EVENT_RESIZE, OBJECT + 64, 7, 0);	/* inside it, not its address */
	feed(f, KMEMTRACE_EVENT_RESIZE, 0, 7, 0);
	end = kfree(f, OBJECT);
	expect_row(f, 0, first * 1000 + 120, PAIR_FREED, end);
	feed(f, KMEMTRACE_EVENT_RESIZE, OBJECT, 7, 0);		/* it is already freed */
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, OBJECT + 128, 0, 0);
	feed(f, KMEMTRACE_EVENT_RESIZE, OBJECT + 128, 7, 0);	/* it no longer has a size */
	pair_finish(f->pair);
	g_assert_cmpuint(row(f, 1)->origin, ==, other);
	g_assert_cmpuint(pair_stats(f->pair)->resized, ==, 2);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 0);
}

/* kfree_bulk() of a large kmalloc frees its pages without an event of its own. */
static void page_free_ends_large_kmalloc(Fixture *f, gconstpointer unused)
{
	guint32 pages = page_alloc(f, 0x1000, 3), object = kmalloc(f, BASE + 0x1000000, 32768), end;

	end = page_free(f, 0x1000, 3);
	expect_row(f, 0, object, PAIR_FREE_UNSEEN, 0);
	expect_row(f, 1, pages, PAIR_FREED, end);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, end);
	kfree(f, BASE + 0x1000000);	/* it was removed, not just reported */
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
}

static void stack_shows_slab_backing(Fixture *f, gconstpointer unused)
{
	f->backing = PAIR_BACKING_SLAB;
	page_alloc(f, 0x500, 1);
	f->backing = PAIR_BACKING_NONE;
	page_free(f, 0x500, 1);
	g_assert_cmpuint(row(f, 0)->backing, ==, PAIR_BACKING_SLAB);
}

static void take_backed(gpointer data, guint32 origin)
{
	Fixture *fixture = data;

	g_assert_cmpuint(fixture->backed_count, <, G_N_ELEMENTS(fixture->backed));
	fixture->backed[fixture->backed_count++] = origin;
}

static void object_in_page_shows_slab_backing(Fixture *f, gconstpointer unused)
{
	guint32 first = page_alloc(f, 0x1000, 1), second = page_alloc(f, 0x1002, 0), third, fourth;

	page_alloc(f, 0x1003, 0);
	third = page_alloc(f, 0x1004, 1);
	fourth = page_alloc(f, 0x1008, 3);
	pair_set_backed(f->pair, take_backed);
	cache_alloc(f, BASE + 0x1001f00, 128);		/* in the second page of the first */
	cache_alloc(f, BASE + 0x1001f80, 128);
	cache_alloc(f, BASE + 0x1002000, 4096);		/* a whole page is a slab of one object */
	cache_alloc(f, BASE + 0x1003000, 8192);		/* it doesn't fit */
	kmalloc(f, BASE + 0x1004000, 8192);		/* kmalloc-8k, with one object per slab */
	cache_alloc(f, BASE + 0x1008000, 32768);	/* not a kmalloc */
	g_assert_cmpuint(f->backed_count, ==, 4);
	g_assert_cmpuint(f->backed[0], ==, first);
	g_assert_cmpuint(f->backed[1], ==, second);
	g_assert_cmpuint(f->backed[2], ==, third);
	g_assert_cmpuint(f->backed[3], ==, fourth);
	pair_finish(f->pair);
	for (guint i = 0; i < f->rows->len; i++) {
		const Row *r = row(f, i);

		if (r->event == KMEMTRACE_EVENT_PAGE_ALLOC)
			g_assert_cmpuint(r->backing, ==, r->addr == 0x1003 ? PAIR_BACKING_NONE
									   : PAIR_BACKING_SLAB);
	}
	g_assert_cmpuint(f->rows->len, ==, 11);
}

/* Addresses below the linear map have no frame; a frame left by migration is no backing. */
static void address_maps_to_frame_of_linear_map(Fixture *f, gconstpointer unused)
{
	guint32 last = page_alloc(f, (G_GUINT64_CONSTANT(1) << 52) - 1, 0),
		zero = page_alloc(f, 0x500, 0);

	pair_set_backed(f->pair, take_backed);
	kmalloc(f, BASE - 64, 64);
	g_assert_cmpuint(f->backed_count, ==, 0);
	page_move(f, 0x500, 0, 0);
	kfree(f, BASE + 0x500040);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	kmalloc(f, BASE, 64);
	g_assert_cmpuint(f->backed_count, ==, 1);
	g_assert_cmpuint(f->backed[0], ==, zero);
	pair_finish(f->pair);
	expect_row(f, 0, last, PAIR_LIVE, 0);
}

/* kfree_rcu() and bulk frees are unseen, but the free of the slab's page is seen in the end. */
static void page_free_ends_objects_of_slab(Fixture *f, gconstpointer unused)
{
	guint32 pages = page_alloc(f, 0x1000, 0), a = kmalloc(f, OBJECT, 64),
		b = kmalloc(f, OBJECT + 64, 64);
	guint32 c = kmalloc(f, OBJECT + 128, 64), end_b = kfree(f, OBJECT + 64), end;

	end = page_free(f, 0x1000, 0);
	expect_row(f, 0, b, PAIR_FREED, end_b);
	expect_row(f, 1, c, PAIR_FREE_UNSEEN, 0);
	expect_row(f, 2, a, PAIR_FREE_UNSEEN, 0);
	expect_row(f, 3, pages, PAIR_FREED, end);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 4);
}

static void free_in_known_page_is_of_unseen_allocation(Fixture *f, gconstpointer unused)
{
	page_alloc(f, 0x1000, 0);
	cache_free(f, OBJECT);	/* of kmem_cache_alloc_bulk() */
	cache_free(f, OBJECT + 0x100000);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, 1);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
}

static void pages_have_no_backing_without_linear_base(Fixture *f, gconstpointer unused)
{
	PairSink sink = { take_lifetime, take_unmatched, take_matched_late, take_failed, f };

	pair_free(f->pair);
	f->pair = pair_new(SHIFT, 0, &sink);
	page_alloc(f, 0x1000, 0);
	kmalloc(f, 0x1000040, 64);
	pair_finish(f->pair);
	g_assert_cmpuint(row(f, 0)->backing, ==, PAIR_BACKING_NONE);
}

static void absurd_values_give_valid_lifetimes(Fixture *f, gconstpointer unused)
{
	static const guint64 addrs[] = {
		0,
		1,
		17,
		BASE - 1,
		BASE,
		BASE + 1,
		G_MAXUINT64,
		G_MAXUINT64 - 4095,
		G_GUINT64_CONSTANT(1) << 52,
		(G_GUINT64_CONSTANT(1) << 52) - 1,
		G_GUINT64_CONSTANT(1) << 63,
	};
	static const guint8 orders[] = { 0, 1, 20, 21, 31, 32, 63, 64, 255 };

	for (guint type = 0; type < 256; type++) {
		for (guint i = 0; i < G_N_ELEMENTS(addrs); i++) {
			for (guint k = 0; k < G_N_ELEMENTS(orders); k++)
				feed(f, type, addrs[i], type % 2 ? G_MAXUINT32 : 0, orders[k]);
		}
	}
	pair_finish(f->pair);
	g_assert_cmpuint(pair_stats(f->pair)->absurd_pages, >, 0);
	g_assert_cmpuint(f->rows->len, ==, pair_stats(f->pair)->allocs);
	for (guint i = 0; i < f->rows->len; i++)
		g_assert_cmpuint(row(f, i)->state, <=, PAIR_FREEING);
}

static void pages_of_absurd_order_are_dropped(Fixture *f, gconstpointer unused)
{
	page_alloc(f, 0x500, 200);
	g_assert_cmpuint(pair_stats(f->pair)->absurd_pages, ==, 1);
	page_free(f, 0x500, 200);
	g_assert_cmpuint(pair_stats(f->pair)->absurd_pages, ==, 2);
	g_assert_cmpuint(pair_stats(f->pair)->allocs, ==, 0);
	g_assert_cmpuint(pair_live(f->pair), ==, 0);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 0);
}

/* By time, CPU, kind and address. */
static void equal_times_are_ordered_by_cpu_kind_and_address(Fixture *f, gconstpointer unused)
{
	static const struct {
		guint64 addr;
		guint8 cpu, event;
	} sorted[] = {
		{ 0x9000, 0, KMEMTRACE_EVENT_PAGE_ALLOC },
		{ 0x8000, 1, KMEMTRACE_EVENT_KMALLOC },
		{ 0x7000, 1, KMEMTRACE_EVENT_CACHE_ALLOC },
		{ 0x5000, 1, KMEMTRACE_EVENT_PAGE_ALLOC },
		{ 0x6000, 1, KMEMTRACE_EVENT_PAGE_ALLOC },
		{ 0x4000, 2, KMEMTRACE_EVENT_KMALLOC },
	};
	guint count = G_N_ELEMENTS(sorted);

	for (guint backwards = 0; backwards < 2; backwards++) {
		for (guint i = 0; i < count; i++) {
			guint n = backwards ? count - 1 - i : i;

			f->now = 1;
			f->cpu = sorted[n].cpu;
			feed(f, sorted[n].event, sorted[n].addr, 64, 0);
		}
		pair_finish(f->pair);
		for (guint i = 0; i < count; i++)
			g_assert_cmphex(row(f, i)->addr, ==, sorted[i].addr);
		teardown(f, unused);
		setup(f, unused);
	}
}

static void live_allocations_are_in_time_order(Fixture *f, gconstpointer unused)
{
	guint32 first;

	for (guint i = 0; i < 100; i++)
		kmalloc(f, 0x10000 + i * 64, 64);
	for (guint i = 0; i < 100; i += 2)
		kfree(f, 0x10000 + i * 64);
	for (guint i = 0; i < 100; i += 2)
		kmalloc(f, 0x10000 + i * 64, 64);	/* in reused records */
	first = f->rows->len;
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len - first, ==, 100);
	for (guint i = first + 1; i < f->rows->len; i++)
		g_assert_cmpuint(row(f, i - 1)->time_ns, <, row(f, i)->time_ns);
}

/* ---- kfree_rcu() ---- */

static guint32 kfree_rcu(Fixture *fixture, guint64 addr)
{
	return feed(fixture, KMEMTRACE_EVENT_KFREE_RCU, addr, 0, 0);
}

static void caller_of_kfree_rcu_is_the_freer(Fixture *f, gconstpointer unused)
{
	guint32 a = kmalloc(f, OBJECT, 64), b, c;

	f->cpu = 1;
	b = kfree_rcu(f, OBJECT);
	f->cpu = 2;
	c = kfree(f, OBJECT);
	expect_row(f, 0, a, PAIR_FREED, b);
	g_assert_cmpuint(row(f, 0)->end_cpu, ==, 1);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, c);	/* until then it used memory */
	g_assert_cmpuint(row(f, 0)->pieces, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->matched, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 0);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 1);
}

static void kfree_rcu_ends_allocation_without_free(Fixture *f, gconstpointer unused)
{
	guint32 pages = page_alloc(f, 0x1000, 0), a = kmalloc(f, OBJECT, 64),
		b = cache_alloc(f, OBJECT + 64, 64), end_a, end_b, again, end;

	end_a = kfree_rcu(f, OBJECT);
	end_b = kfree_rcu(f, OBJECT + 64);
	again = kmalloc(f, OBJECT, 64);
	expect_row(f, 0, a, PAIR_FREED_RCU, end_a);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, end_a);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 1);
	end = page_free(f, 0x1000, 0);
	expect_row(f, 1, again, PAIR_FREE_UNSEEN, 0);
	expect_row(f, 2, b, PAIR_FREED_RCU, end_b);
	g_assert_cmpuint(row(f, 2)->end_ns, ==, end_b);
	expect_row(f, 3, pages, PAIR_FREED, end);
	g_assert_cmpuint(pair_stats(f->pair)->freed_rcu, ==, 2);
	g_assert_cmpuint(pair_stats(f->pair)->free_unseen, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->freeing, ==, 0);
}

static void object_waiting_for_rcu_is_freeing(Fixture *f, gconstpointer unused)
{
	guint32 a = kmalloc(f, OBJECT, 64), b;

	kmalloc(f, OBJECT + 64, 64);
	b = kfree_rcu(f, OBJECT);
	pair_finish(f->pair);
	expect_row(f, 0, a, PAIR_FREEING, b);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, 0);
	g_assert_cmpuint(row(f, 1)->state, ==, PAIR_LIVE);
	g_assert_cmpuint(pair_stats(f->pair)->freeing, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->freed_rcu, ==, 0);
}

static void unmatched_kfree_rcu_counts_once(Fixture *f, gconstpointer unused)
{
	kfree_rcu(f, OBJECT);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	cache_free(f, OBJECT);		/* the same one */
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	cache_free(f, OBJECT);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 2);
	kfree_rcu(f, OBJECT);
	kmalloc(f, OBJECT, 64);
	kfree(f, OBJECT);
	kfree(f, OBJECT);	/* not the unknown object's, which was freed before the kmalloc */
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 4);
	kfree_rcu(f, 0);
	g_assert_cmpuint(pair_stats(f->pair)->null_pointers, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->given_to_rcu, ==, 2);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 4);
	g_assert_cmpuint(f->rows->len, ==, 1);
}

static void second_kfree_rcu_is_of_unseen_allocation(Fixture *f, gconstpointer unused)
{
	guint32 a = kmalloc(f, OBJECT, 64), b = kfree_rcu(f, OBJECT);

	kfree_rcu(f, OBJECT);
	expect_row(f, 0, a, PAIR_FREED_RCU, b);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, 1);
	kfree(f, OBJECT);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE] + f->unmatched[PAIR_UNSEEN], ==, 1);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 1);
}

/* The pages of a large kmalloc are freed; not all kernels have an event for its kfree(). */
static void kfree_rcu_ends_large_kmalloc(Fixture *f, gconstpointer unused)
{
	guint32 pages = page_alloc(f, 0x1000, 3), a = kmalloc(f, BASE + 0x1000000, 32768), b, end;

	b = kfree_rcu(f, BASE + 0x1000000);
	end = page_free(f, 0x1000, 3);
	expect_row(f, 0, a, PAIR_FREED_RCU, b);
	expect_row(f, 1, pages, PAIR_FREED, end);
	g_assert_cmpuint(row(f, 1)->backing, ==, PAIR_BACKING_KMALLOC);
}

static void kfree_matches_its_kfree_rcu(Fixture *f, gconstpointer unused)
{
	guint32 origins[100];

	for (guint round = 0; round < 3; round++) {
		guint first = f->rows->len;

		for (guint i = 0; i < 100; i++)
			kmalloc(f, 0x10000 + i * 64, 64);
		for (guint i = 0; i < 100; i++)
			origins[i] = kfree_rcu(f, 0x10000 + (i * 37 % 100) * 64);
		for (guint i = 0; i < 100; i++) {
			kfree(f, 0x10000 + (i * 37 % 100) * 64);
			g_assert_cmpuint(row(f, first + i)->end_origin, ==, origins[i]);
		}
	}
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 300);
}

static void slots_of_rcu_frees_are_reused(Fixture *f, gconstpointer unused)
{
	RcuFrees *frees = rcufrees_new();
	RcuFree first = { .time_ns = 1 }, second = { .time_ns = 2 };
	guint32 place = rcufrees_add(frees, &first);

	g_assert_cmpuint(place, !=, 0);
	g_assert_cmpuint(rcufrees_take(frees, place).time_ns, ==, 1);
	g_assert_cmpuint(rcufrees_add(frees, &second), ==, place);
	g_assert_cmpuint(rcufrees_take(frees, place).time_ns, ==, 2);
	rcufrees_free(frees);
}

/* ---- per-CPU memory, vmalloc space, and other events ---- */

static void kinds_have_separate_addresses(Fixture *f, gconstpointer unused)
{
	guint32 object = kmalloc(f, OBJECT, 64),
		percpu = feed(f, KMEMTRACE_EVENT_PERCPU_ALLOC, OBJECT, 8, 0),
		area = feed(f, KMEMTRACE_EVENT_VMAP_ALLOC, OBJECT, 8192, 0), end[3];

	g_assert_cmpuint(f->rows->len, ==, 0);
	end[0] = feed(f, KMEMTRACE_EVENT_VMAP_FREE, OBJECT, 0, 0);
	end[1] = feed(f, KMEMTRACE_EVENT_PERCPU_FREE, OBJECT, 0, 0);
	end[2] = kfree(f, OBJECT);
	expect_row(f, 0, area, PAIR_FREED, end[0]);
	expect_row(f, 1, percpu, PAIR_FREED, end[1]);
	expect_row(f, 2, object, PAIR_FREED, end[2]);
}

static void reused_percpu_or_vmap_address_ends_allocation(Fixture *f, gconstpointer unused)
{
	static const guint8 allocs[] = { KMEMTRACE_EVENT_PERCPU_ALLOC, KMEMTRACE_EVENT_VMAP_ALLOC };
	static const guint8 frees[] = { KMEMTRACE_EVENT_PERCPU_FREE, KMEMTRACE_EVENT_VMAP_FREE };

	for (guint i = 0; i < 2; i++) {
		guint32 first = feed(f, allocs[i], 8, 64, 0), second = feed(f, allocs[i], 8, 64, 0);

		expect_row(f, i, first, PAIR_FREE_UNSEEN, 0);
		g_assert_cmpuint(row(f, i)->end_ns, ==, second);
		feed(f, allocs[i], 0, 64, 0);
		feed(f, frees[i], 0, 0, 0);
		feed(f, frees[i], 1000, 0, 0);
	}
	g_assert_cmpuint(pair_stats(f->pair)->null_pointers, ==, 2);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 2);
	pair_finish(f->pair);
	g_assert_cmpuint(f->failed, ==, 2);
	g_assert_cmpuint(f->rows->len, ==, 4);
	g_assert_cmpuint(row(f, 2)->state, ==, PAIR_LIVE);
	g_assert_cmpuint(row(f, 3)->event, ==, KMEMTRACE_EVENT_VMAP_ALLOC);
}

static guint32 area(Fixture *f, guint32 tid, guint64 addr, guint32 bytes)
{
	f->tid = tid;
	return feed(f, KMEMTRACE_EVENT_VMAP_ALLOC, addr, bytes, 0);
}

/* The kernel tries twice and records both; in between, the thread frees areas. */
static void retried_vmap_allocation_counts_once(Fixture *f, gconstpointer unused)
{
	guint64 addr = G_GUINT64_CONSTANT(0xffffc90000001000);
	guint32 got;

	area(f, 7, 0, 8192);	/* the first try of a failing allocation */
	feed(f, KMEMTRACE_EVENT_VMAP_FREE, addr, 0, 0);
	area(f, 8, 0, 8192);	/* another thread's */
	area(f, 7, 0, 8192);
	g_assert_cmpuint(f->failed, ==, 1);
	area(f, 7, 0, 8192);	/* the next one, which succeeds at the second try */
	got = area(f, 7, addr, 8192);
	g_assert_cmpuint(f->failed, ==, 1);
	area(f, 7, 0, 8192);	/* the other tries of these two were lost */
	area(f, 7, 0, 4096);
	g_assert_cmpuint(f->failed, ==, 2);
	g_assert_cmpuint(f->failed_bytes, ==, 2 * 8192);
	pair_finish(f->pair);
	g_assert_cmpuint(f->failed_bytes, ==, 3 * 8192 + 4096);
	g_assert_cmpuint(f->failed, ==, 4);
	g_assert_cmpuint(pair_stats(f->pair)->failed, ==, 4);
	g_assert_cmpuint(pair_stats(f->pair)->areas_retried, ==, 2);
	expect_row(f, 0, got, PAIR_LIVE, 0);
}

/* kvfree_rcu() frees vmalloc() memory. */
static void kfree_rcu_ends_vmap_area(Fixture *f, gconstpointer unused)
{
	guint64 addr = G_GUINT64_CONSTANT(0xffffc90000001000);
	guint32 a = feed(f, KMEMTRACE_EVENT_VMAP_ALLOC, addr, 8192, 0), b = kfree_rcu(f, addr);

	feed(f, KMEMTRACE_EVENT_VMAP_FREE, addr, 0, 0);
	expect_row(f, 0, a, PAIR_FREED, b);
	kfree_rcu(f, addr);
	feed(f, KMEMTRACE_EVENT_VMAP_FREE, addr, 0, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
}

static void second_kfree_rcu_of_vmap_area_is_unmatched(Fixture *f, gconstpointer unused)
{
	guint64 addr = G_GUINT64_CONSTANT(0xffffc90000001000);
	guint32 a = feed(f, KMEMTRACE_EVENT_VMAP_ALLOC, addr, 8192, 0), b = kfree_rcu(f, addr), c,
		end;

	kfree_rcu(f, addr);	/* of one whose allocation was unseen */
	expect_row(f, 0, a, PAIR_FREED_RCU, b);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, 1);
	c = feed(f, KMEMTRACE_EVENT_VMAP_ALLOC, addr, 8192, 0);
	g_assert_cmpuint(f->rows->len, ==, 1);
	end = feed(f, KMEMTRACE_EVENT_VMAP_FREE, addr, 0, 0);
	expect_row(f, 1, c, PAIR_FREED, end);
	feed(f, KMEMTRACE_EVENT_VMAP_FREE, addr, 0, 0);	/* the unknown one's came earlier */
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	g_assert_cmpuint(f->rows->len, ==, 2);
}

/* kfree_rcu() frees no per-CPU memory: the same address is another object. */
static void kfree_rcu_matches_no_percpu_memory(Fixture *f, gconstpointer unused)
{
	kfree_rcu(f, OBJECT);
	feed(f, KMEMTRACE_EVENT_PERCPU_FREE, OBJECT, 0, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 2);
	feed(f, KMEMTRACE_EVENT_PERCPU_ALLOC, OBJECT, 64, 0);
	kfree(f, OBJECT);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 2);
}

static void stack_shows_percpu_backing(Fixture *f, gconstpointer unused)
{
	f->backing = PAIR_BACKING_PERCPU;
	page_alloc(f, 0x500, 0);
	f->backing = PAIR_BACKING_NONE;
	page_free(f, 0x500, 0);
	g_assert_cmpuint(row(f, 0)->backing, ==, PAIR_BACKING_PERCPU);
}

static void fragmentation_events_allocate_nothing(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 0);

	feed(f, KMEMTRACE_EVENT_EXTFRAG, 0x500, 9, 0);
	feed(f, KMEMTRACE_EVENT_ZONE_LOCKED, 0x500, 0, 0);
	feed(f, KMEMTRACE_EVENT_PCPU_DRAIN, 0x500, 0, 0);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 1);
	expect_row(f, 0, a, PAIR_LIVE, 0);
}

/* ---- pages that the kernel migrates ---- */

/* Compaction: no event reports the allocation of the destination. */
static void page_is_followed_to_unallocated_destination(Fixture *f, gconstpointer unused)
{
	guint64 far = G_GUINT64_CONSTANT(0x100000000) + 0x700;
	guint32 a = page_alloc(f, 0x500, 0), end;

	page_move(f, 0x500, far, 0);
	page_free(f, 0x500, 0);
	g_assert_cmpuint(f->rows->len, ==, 0);
	end = page_free(f, far, 0);
	expect_row(f, 0, a, PAIR_FREED, end);
	g_assert_cmphex(row(f, 0)->addr, ==, far);
	g_assert_cmpuint(row(f, 0)->moves, ==, 1);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 1);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE] + f->unmatched[PAIR_UNSEEN], ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->frees_moved, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->matched, ==, 1);
}

/* NUMA balancing, mbind(): until then, the destination belongs to the migrator. */
static void page_is_followed_to_allocated_destination(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 9), migrators = page_alloc(f, 0x800, 9), end;

	page_move(f, 0x500, 0x800, 9);
	end = page_free(f, 0x500, 9);
	expect_row(f, 0, migrators, PAIR_FREED, end);
	g_assert_cmphex(row(f, 0)->addr, ==, 0x500);
	g_assert_cmpuint(row(f, 0)->moves, ==, 0);
	pair_finish(f->pair);
	expect_row(f, 1, a, PAIR_LIVE, 0);
	g_assert_cmphex(row(f, 1)->addr, ==, 0x800);
	g_assert_cmpuint(row(f, 1)->moves, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->frees_moved, ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->moved_pages, ==, 512);
}

static void page_is_followed_back(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 0), end;

	page_move(f, 0x500, 0x600, 0);
	page_free(f, 0x500, 0);
	page_move(f, 0x600, 0x500, 0);
	page_free(f, 0x600, 0);
	end = page_free(f, 0x500, 0);
	expect_row(f, 0, a, PAIR_FREED, end);
	g_assert_cmphex(row(f, 0)->addr, ==, 0x500);
	g_assert_cmpuint(row(f, 0)->moves, ==, 2);
}

/* A split huge page. */
static void pieces_of_split_block_are_followed(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 2), end;

	page_move(f, 0x501, 0x900, 0);
	page_free(f, 0x501, 0);
	page_move(f, 0x502, 0x700, 1);
	page_free(f, 0x502, 1);
	page_free(f, 0x500, 0);
	page_free(f, 0x701, 0);
	page_free(f, 0x900, 0);
	g_assert_cmpuint(f->rows->len, ==, 0);
	end = page_free(f, 0x700, 0);
	expect_row(f, 0, a, PAIR_FREED, end);
	g_assert_cmpuint(row(f, 0)->pieces, ==, 4);
	g_assert_cmpuint(row(f, 0)->moves, ==, 2);
	g_assert_cmphex(row(f, 0)->addr, ==, 0x500);
}

/* A page allocated before the trace is unknown at its destination, too, and not the migrator's. */
static void migrated_unknown_page_stays_unmatched(Fixture *f, gconstpointer unused)
{
	guint32 migrators = page_alloc(f, 0x600, 0), end;

	page_move(f, 0x500, 0x600, 0);
	end = page_free(f, 0x500, 0);
	expect_row(f, 0, migrators, PAIR_FREED, end);
	page_move(f, 0x600, 0x700, 0);
	g_assert_cmpuint(pair_stats(f->pair)->moves, ==, 2);
	g_assert_cmpuint(pair_stats(f->pair)->moved_pages, ==, 0);
	page_free(f, 0x600, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 0);
	page_free(f, 0x700, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	g_assert_cmpuint(f->rows->len, ==, 1);
}

/* The source's frame is allocated anew, with and without its free being seen. */
static void frame_left_by_migration_is_allocated_again(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 0), b, end;

	page_move(f, 0x500, 0x600, 0);
	b = page_alloc(f, 0x500, 0);
	g_assert_cmpuint(f->rows->len, ==, 0);
	end = page_free(f, 0x500, 0);
	expect_row(f, 0, b, PAIR_FREED, end);
	page_free(f, 0x500, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	pair_finish(f->pair);
	expect_row(f, 1, a, PAIR_LIVE, 0);
}

static void page_leaving_the_sample_is_freed_unseen(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 0), move;

	move = page_move_in(f, 0x500, 0x600, 0, KMEMTRACE_MOVE_TO_OUTSIDE);
	expect_row(f, 0, a, PAIR_FREE_UNSEEN, 0);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, move);
	page_free(f, 0x500, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->moved_out, ==, 1);
	page_alloc(f, 0x700, 0);	/* reuses its record, to which no frame refers */
	page_free(f, 0x600, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
	g_assert_cmpuint(f->rows->len, ==, 1);
}

static void block_partly_leaving_the_sample_is_freed_unseen(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 2), end;

	page_move_in(f, 0x501, 0x601, 0, KMEMTRACE_MOVE_TO_OUTSIDE);
	g_assert_cmpuint(f->rows->len, ==, 0);
	page_free(f, 0x502, 1);
	end = page_free(f, 0x500, 0);
	expect_row(f, 0, a, PAIR_FREE_UNSEEN, 0);
	g_assert_cmpuint(row(f, 0)->end_ns, ==, end);
	g_assert_cmpuint(pair_stats(f->pair)->moved_out, ==, 0);
}

/* It was recorded nevertheless, as with a filter on something else. */
static void known_page_entering_the_sample_is_matched(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 0), end;

	page_move_in(f, 0x500, 0x600, 0, KMEMTRACE_MOVE_FROM_OUTSIDE);
	end = page_free(f, 0x600, 0);
	expect_row(f, 0, a, PAIR_FREED, end);
	page_free(f, 0x500, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 1);
}

/* One event for two allocations, each of which has its own new frame. */
static void one_migration_moves_adjacent_blocks(Fixture *f, gconstpointer unused)
{
	page_alloc(f, 0x500, 0);
	page_alloc(f, 0x501, 0);
	page_move(f, 0x500, 0x600, 1);
	pair_finish(f->pair);
	for (guint i = 0; i < 2; i++) {
		g_assert_cmphex(row(f, i)->addr, ==, 0x600 + i);
		g_assert_cmpuint(row(f, i)->moves, ==, 1);
	}
}

static void free_of_page_entering_the_sample_is_not_unmatched(Fixture *f, gconstpointer unused)
{
	guint32 migrators = page_alloc(f, 0x600, 0);

	page_move_in(f, 0x500, 0x600, 0, KMEMTRACE_MOVE_FROM_OUTSIDE);
	expect_row(f, 0, migrators, PAIR_FREE_UNSEEN, 0);
	page_move_in(f, 0x501, 0x700, 0, KMEMTRACE_MOVE_FROM_OUTSIDE);
	page_free(f, 0x600, 0);
	page_move(f, 0x700, 0x800, 0);
	page_free(f, 0x700, 0);
	page_free(f, 0x800, 0);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, 0);
	g_assert_cmpuint(pair_stats(f->pair)->frees_moved, ==, 3);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 1);
}

static void absurd_migrations_are_dropped(Fixture *f, gconstpointer unused)
{
	guint32 a = page_alloc(f, 0x500, 1);

	page_move(f, 0x500, 0x501, 1);
	page_move(f, 0x500, 0x500, 1);
	page_move(f, 0x500, G_GUINT64_CONSTANT(1) << 52, 1);
	page_move(f, G_MAXUINT64, 0x500, 1);
	page_move(f, 0x500, 0x10000000, 200);
	g_assert_cmpuint(pair_stats(f->pair)->absurd_pages, ==, 5);
	pair_finish(f->pair);
	expect_row(f, 0, a, PAIR_LIVE, 0);
	g_assert_cmpuint(row(f, 0)->moves, ==, 0);
}

/* ---- several at once ---- */

/* It is moved or resized: so it was there after the free. */
static void migrated_or_resized_allocation_has_no_early_free(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < 3; i++)
		free_early(f, KMEMTRACE_EVENT_PAGE_FREE, KMEMTRACE_EVENT_PAGE_ALLOC, 0x3000 + i,
			   200);
	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT, 200);
	page_move(f, 0x3000, 0x4000, 0);
	page_move(f, 0x5000, 0x3001, 0);	/* the second one was allocated for a migration */
	feed(f, KMEMTRACE_EVENT_RESIZE, OBJECT, 60, 0);
	pair_finish(f->pair);
	g_assert_cmpuint(f->rows->len, ==, 4);
	for (guint i = 0; i < 4; i++)
		g_assert_cmpuint(row(f, i)->state, ==, i ? PAIR_LIVE : PAIR_FREED);
	g_assert_cmpuint(row(f, 0)->addr, ==, 0x3002);
	g_assert_cmpuint(pair_stats(f->pair)->early, ==, 1);
	g_assert_cmpuint(pair_stats(f->pair)->unmatched, ==, 3);
}

static void take_live(gpointer data, const PairLifetime *lifetime)
{
	Fixture *fixture = data;
	Row row = {
		.addr = lifetime->addr,
		.state = lifetime->state,
		.pages_freed = lifetime->pages_freed,
	};

	g_array_append_val(fixture->rows, row);
}

/* Without freed allocations and those with an early free; those waiting for RCU are live. */
static void live_and_freeing_allocations_are_visited(Fixture *f, gconstpointer unused)
{
	kmalloc(f, OBJECT, 64);
	kmalloc(f, OBJECT + 64, 64);
	kmalloc(f, OBJECT + 128, 64);
	kfree(f, OBJECT);
	feed(f, KMEMTRACE_EVENT_KFREE_RCU, OBJECT + 128, 0, 0);
	page_alloc(f, 0x1000, 2);	/* objects lie in it, where others have their kfree_rcu() */
	page_free(f, 0x1003, 0);
	kmalloc(f, OBJECT + 256, 64);
	free_early(f, KMEMTRACE_EVENT_KFREE, KMEMTRACE_EVENT_KMALLOC, OBJECT + 192, 200);
	kmalloc(f, OBJECT + 320, 64);
	kfree(f, OBJECT + 320);
	g_array_set_size(f->rows, 0);
	pair_each_live(f->pair, take_live, f);
	g_assert_cmpuint(f->rows->len, ==, 4);
	for (guint i = 0; i < 4; i++) {
		const Row *r = row(f, i);

		g_assert_true(r->addr == 0x1000 || r->addr == OBJECT + 64 ||
			      r->addr == OBJECT + 128 || r->addr == OBJECT + 256);
		g_assert_cmpuint(r->state, ==, r->addr == OBJECT + 128 ? PAIR_FREEING : PAIR_LIVE);
		g_assert_cmpuint(r->pages_freed, ==, r->addr == 0x1000);
	}
	g_assert_cmpuint(pair_live(f->pair), ==, 5);
}

/* ---- against a simple model: one entry for each object and frame ---- */

enum { MODEL_FRAMES = 64, MODEL_SLOTS = MODEL_FRAMES * 4, MODEL_MAX = 200000 };

typedef struct {
	guint64 addr, end_ns;
	guint8 event, state, order, backing;
	gboolean open, overlapped;
	guint left, pieces;
} ModelAlloc;

typedef struct {
	ModelAlloc *allocs;		/* by origin */
	guint32 frames[MODEL_FRAMES];	/* origin of the owner */
	guint32 slots[MODEL_SLOTS];	/* origin of the object at BASE + 1024 × slot */
	guint64 unmatched[2], unmatched_pages;
} Model;

static void model_close(Model *m, guint32 origin, PairState state, guint64 now)
{
	m->allocs[origin].open = FALSE;
	m->allocs[origin].state = state;
	m->allocs[origin].end_ns = now;
}

static void model_close_pages(Model *m, guint32 origin, gboolean is_free, guint64 now)
{
	ModelAlloc *a = &m->allocs[origin];

	for (guint slot = a->addr * 4; slot < (a->addr + (1U << a->order)) * 4; slot++) {
		/* Objects allocated when these pages had another owner belong to that owner. */
		if (m->slots[slot] && m->allocs[m->slots[slot]].left == origin) {
			model_close(m, m->slots[slot], PAIR_FREE_UNSEEN, now);
			m->slots[slot] = 0;
		}
	}
	model_close(m, origin, is_free && !a->overlapped ? PAIR_FREED : PAIR_FREE_UNSEEN, now);
}

static void model_pages(Model *m, guint64 pfn, guint order, guint32 owner, guint64 now)
{
	guint32 piece_of[MODEL_FRAMES] = { 0 };
	guint64 nobodys = 0;

	for (guint64 i = pfn; i < pfn + (1U << order); i++) {
		guint32 old = m->frames[i];
		ModelAlloc *a = &m->allocs[old];
		gboolean counted = FALSE;

		m->frames[i] = owner;
		nobodys += !old;
		if (!old)
			continue;
		for (guint k = 0; k < MODEL_FRAMES; k++)
			counted |= piece_of[k] == old;
		piece_of[i] = old;
		if (owner)
			a->overlapped = TRUE;
		else
			a->pieces += !counted;
		if (!--a->left)
			model_close_pages(m, old, !owner, now);
	}
	if (!owner && nobodys) {
		m->unmatched[PAIR_BEFORE]++;
		m->unmatched_pages += nobodys;
	}
}

static void model_object_alloc(Model *m, guint slot, guint32 bytes, guint32 origin)
{
	guint32 block = m->frames[slot / 4], old = m->slots[slot];
	ModelAlloc *b = &m->allocs[block];
	gboolean fills = slot == b->addr * 4 && bytes == 4096U << b->order;

	if (old && block && m->allocs[old].left == block && fills &&
	    b->backing == PAIR_BACKING_KMALLOC) {
		m->allocs[origin] = m->allocs[old];	/* the second event of a large kmalloc */
		m->allocs[old].event = 0;
		m->slots[slot] = origin;
		return;
	}
	if (old)
		model_close(m, m->slots[slot], PAIR_FREE_UNSEEN, origin);
	m->slots[slot] = origin;
	m->allocs[origin].left = block;	/* of an object: its block */
	if (!block || b->backing)
		return;
	if (bytes < 4096U << b->order)
		b->backing = PAIR_BACKING_SLAB;
	else if (fills)
		b->backing = bytes > 8192 ? PAIR_BACKING_KMALLOC : PAIR_BACKING_SLAB;
}

static void model_object_free(Model *m, guint slot, guint64 now)
{
	guint32 origin = m->slots[slot];

	m->slots[slot] = 0;
	if (origin) {
		m->allocs[origin].pieces = 1;
		model_close(m, origin, PAIR_FREED, now);
	} else {
		m->unmatched[m->frames[slot / 4] ? PAIR_UNSEEN : PAIR_BEFORE]++;
	}
}

static void play(Fixture *f, Model *m, GRand *rand)
{
	guint order = g_rand_int_range(rand, 0, 4);
	guint64 pfn = 1 + g_rand_int_range(rand, 0, MODEL_FRAMES - (1 << order));
	guint slot = 4 + g_rand_int_range(rand, 0, MODEL_SLOTS - 4);
	guint32 bytes = g_rand_boolean(rand) ? 1024 : 1024U << g_rand_int_range(rand, 0, 6);
	guint64 now = f->now;

	pfn = MIN(pfn, MODEL_FRAMES - (1U << order));
	switch (g_rand_int_range(rand, 0, 8)) {
	case 0:
		page_alloc(f, pfn, order);
		m->allocs[now] = (ModelAlloc){ .addr = pfn,
					       .event = KMEMTRACE_EVENT_PAGE_ALLOC,
					       .order = order,
					       .open = TRUE,
					       .left = 1U << order };
		model_pages(m, pfn, order, now, now);
		break;
	case 1:
		page_free(f, pfn, order);
		model_pages(m, pfn, order, 0, now);
		break;
	case 2: case 3: case 4:
		kmalloc(f, BASE + 1024 * (guint64)slot, bytes);
		m->allocs[now] = (ModelAlloc){ .addr = BASE + 1024 * (guint64)slot,
					       .event = KMEMTRACE_EVENT_KMALLOC, .open = TRUE };
		model_object_alloc(m, slot, bytes, now);
		break;
	default:
		kfree(f, BASE + 1024 * (guint64)slot);
		model_object_free(m, slot, now);
	}
}

static void pairing_equals_the_model(Fixture *f, gconstpointer unused)
{
	g_autofree ModelAlloc *allocs = g_new0(ModelAlloc, MODEL_MAX + 2);
	g_autoptr(GRand) rand = g_rand_new_with_seed(20);
	Model m = { .allocs = allocs };
	guint rows = 0;

	while (f->now <= MODEL_MAX)
		play(f, &m, rand);
	pair_finish(f->pair);
	for (guint i = 0; i < f->rows->len; i++) {
		const Row *r = row(f, i);
		const ModelAlloc *a = &allocs[r->origin];

		g_assert_cmpuint(r->addr, ==, a->addr);
		g_assert_cmpuint(r->event, ==, a->event);
		g_assert_cmpuint(r->state, ==, a->open ? PAIR_LIVE : a->state);
		g_assert_cmpuint(r->end_ns, ==, a->open ? 0 : a->end_ns);
		g_assert_cmpuint(r->pieces, ==, a->pieces);
		g_assert_cmpuint(r->backing, ==, a->backing);
		if (a->open && a->event == KMEMTRACE_EVENT_PAGE_ALLOC)
			g_assert_cmpuint(r->pages_freed, ==, (1U << a->order) - a->left);
	}
	for (guint i = 0; i <= MODEL_MAX; i++)
		rows += allocs[i].event != 0;
	g_assert_cmpuint(f->rows->len, ==, rows);
	g_assert_cmpuint(f->unmatched[PAIR_BEFORE], ==, m.unmatched[PAIR_BEFORE]);
	g_assert_cmpuint(f->unmatched[PAIR_UNSEEN], ==, m.unmatched[PAIR_UNSEEN]);
	g_assert_cmpuint(f->unmatched_pages, ==, m.unmatched_pages);
}

/* ---- tasks ---- */

static void expect_task(Tasks *tasks, guint32 tid, gint64 tgid, const char *comm)
{
	Task task = tasks_get(tasks, tasks_current(tasks, tid));

	g_assert_cmpuint(task.tid, ==, tid);
	g_assert_cmpint(task.tgid, ==, tgid);
	g_assert_cmpstr(task.comm, ==, comm);
}

static void rename_keeps_the_earlier_name(void)
{
	g_autoptr(Tasks) tasks = tasks_new();
	guint32 before, after;

	tasks_rename(tasks, 7, 6, "sh");
	before = tasks_current(tasks, 7);
	tasks_rename(tasks, 7, 6, "sh");
	g_assert_cmpuint(tasks_current(tasks, 7), ==, before);
	tasks_rename(tasks, 7, 6, "ls");
	after = tasks_current(tasks, 7);
	g_assert_cmpuint(after, !=, before);
	g_assert_cmpstr(tasks_get(tasks, before).comm, ==, "sh");
	g_assert_cmpstr(tasks_get(tasks, after).comm, ==, "ls");
}

static void unknown_task_has_no_name(void)
{
	g_autoptr(Tasks) tasks = tasks_new();

	tasks_add_default(tasks, 5, 4, "first");
	tasks_add_default(tasks, 5, 4, "second");
	tasks_add_default(tasks, 6, 6, "a name that is far too long for a thread");
	expect_task(tasks, 5, 4, "first");
	expect_task(tasks, 0, 0, "swapper");
	expect_task(tasks, 6, 6, "a name that is f");
	expect_task(tasks, 99, -1, NULL);
	expect_task(tasks, G_MAXUINT32, -1, NULL);
	tasks_rename(tasks, 99, 99, "");
	expect_task(tasks, 99, 99, "");
}

#define ADD(test) g_test_add("/pair/" #test, Fixture, NULL, setup, test, teardown)

static void add_of_frees(void)
{
	ADD(kfree_and_cache_free_end_either_kind);
	ADD(lifetime_has_context_of_alloc_and_free);
	ADD(table_grows_with_live_allocations);
	ADD(reused_address_ends_the_allocation);
	ADD(free_of_failed_page_allocation_is_undone);
	ADD(only_charged_free_of_same_context_is_undone);
	ADD(other_event_of_the_thread_prevents_undo);
	ADD(idle_threads_of_cpus_are_kept_apart);
	ADD(undone_free_matches_no_later_allocation);
	ADD(matched_early_free_is_not_undone);
	ADD(early_free_differs_from_undone_free);
	ADD(early_free_of_open_allocation_is_not_undone);
	ADD(undo_removes_exactly_one_free);
	ADD(free_just_before_allocation_is_matched);
	ADD(early_frees_are_settled_before_what_is_left);
	ADD(early_free_needs_other_cpu_same_kind_and_small_skew);
	ADD(later_free_wins_over_early_free);
	ADD(early_free_ends_allocation_without_own_free);
	ADD(number_of_early_frees_is_bounded);
	ADD(null_free_is_not_unmatched);
	ADD(failed_allocation_has_no_lifetime);
}

static void add_of_memory(void)
{
	ADD(block_ends_with_its_last_piece);
	ADD(partly_freed_block_counts_freed_pages);
	ADD(free_of_larger_order_ends_all_blocks_in_it);
	ADD(free_counts_its_unmatched_pages);
	ADD(overlapped_block_is_freed_unseen);
	ADD(half_overlapped_block_is_freed_unseen);
	ADD(pages_of_large_kmalloc_are_its_backing);
	ADD(a_resized_object_has_its_last_size);
	ADD(second_event_of_large_kmalloc_is_merged);
	ADD(different_kmallocs_at_one_address_are_not_merged);
	ADD(page_free_ends_large_kmalloc);
	ADD(stack_shows_slab_backing);
	ADD(object_in_page_shows_slab_backing);
	ADD(address_maps_to_frame_of_linear_map);
	ADD(page_free_ends_objects_of_slab);
	ADD(free_in_known_page_is_of_unseen_allocation);
	ADD(pages_have_no_backing_without_linear_base);
	ADD(absurd_values_give_valid_lifetimes);
	ADD(pages_of_absurd_order_are_dropped);
	ADD(equal_times_are_ordered_by_cpu_kind_and_address);
	ADD(live_allocations_are_in_time_order);
	ADD(caller_of_kfree_rcu_is_the_freer);
	ADD(kfree_rcu_ends_allocation_without_free);
	ADD(object_waiting_for_rcu_is_freeing);
	ADD(unmatched_kfree_rcu_counts_once);
	ADD(second_kfree_rcu_is_of_unseen_allocation);
	ADD(kfree_rcu_ends_large_kmalloc);
	ADD(kfree_matches_its_kfree_rcu);
	ADD(slots_of_rcu_frees_are_reused);
	ADD(kinds_have_separate_addresses);
	ADD(reused_percpu_or_vmap_address_ends_allocation);
	ADD(retried_vmap_allocation_counts_once);
	ADD(kfree_rcu_ends_vmap_area);
	ADD(second_kfree_rcu_of_vmap_area_is_unmatched);
	ADD(kfree_rcu_matches_no_percpu_memory);
	ADD(stack_shows_percpu_backing);
	ADD(fragmentation_events_allocate_nothing);
}

static void add_of_moves(void)
{
	ADD(page_is_followed_to_unallocated_destination);
	ADD(page_is_followed_to_allocated_destination);
	ADD(page_is_followed_back);
	ADD(pieces_of_split_block_are_followed);
	ADD(migrated_unknown_page_stays_unmatched);
	ADD(frame_left_by_migration_is_allocated_again);
	ADD(page_leaving_the_sample_is_freed_unseen);
	ADD(block_partly_leaving_the_sample_is_freed_unseen);
	ADD(free_of_page_entering_the_sample_is_not_unmatched);
	ADD(known_page_entering_the_sample_is_matched);
	ADD(absurd_migrations_are_dropped);
	ADD(one_migration_moves_adjacent_blocks);
	ADD(migrated_or_resized_allocation_has_no_early_free);
	ADD(live_and_freeing_allocations_are_visited);
	ADD(pairing_equals_the_model);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	add_of_frees();
	add_of_memory();
	add_of_moves();
	g_test_add_func("/tasks/rename_keeps_the_earlier_name", rename_keeps_the_earlier_name);
	g_test_add_func("/tasks/unknown_task_has_no_name", unknown_task_has_no_name);
	return g_test_run();
}
