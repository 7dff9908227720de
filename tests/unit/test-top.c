// SPDX-License-Identifier: GPL-2.0-or-later
/* top: the figures of its model, its page and keys, and the order of its events. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/recording/live_stream.h"
#include "capture/tracer/module_control.h"
#include "top/names.h"
#include "top/page.h"
#include "top/tasks.h"

#define SECOND G_GUINT64_CONSTANT(1000000000)
#define BASE   G_GUINT64_CONSTANT(0xffff888000000000) /* linear */

/* The call site is the name: 1 "one", 2 "two" [mod], 3 gets pages of slabs. */
static void name(gpointer data, const TopOrigin *origin, TopName *out)
{
	guint *asked = data;

	++*asked;
	*out = (TopName){ .caller = g_intern_string(origin->call_site == 2 ? "two" : "one") };
	out->module = origin->call_site == 2 ? g_intern_string("mod") : NULL;
	out->backing = origin->call_site == 3 ? PAIR_BACKING_SLAB : PAIR_BACKING_NONE;
	if (origin->event == KMEMTRACE_EVENT_KMALLOC)
		out->cache = g_intern_string(origin->bytes_alloc == 128 ? "kmalloc-128" : "other");
	out->unresolved = origin->call_site == 9;
	if (origin->call_site == 9 && *asked > 1) {
		out->caller = g_intern_string("late");
		out->unresolved = FALSE;
	}
}

static void take(TopModel *model, guint event, guint64 time_ns, guint64 addr, guint64 site,
		 guint32 bytes)
{
	top_model_take(model, &(struct trace_event){ .event = event,
						     .time_ns = time_ns,
						     .addr = addr,
						     .call_site = site,
						     .bytes_req = bytes,
						     .bytes_alloc = bytes });
}

static void take_pages(TopModel *model, guint event, guint64 time_ns, guint64 pfn, guint order,
		       guint64 site)
{
	top_model_take(model, &(struct trace_event){ .event = event,
						     .time_ns = time_ns,
						     .addr = pfn,
						     .call_site = site,
						     .order = order });
}

static TopRow row_of(const TopModel *model, TopView view, enum trace_kind kind, const char *caller)
{
	g_autoptr(GArray) rows = top_model_rows(model, view, kind, TOP_BY_BYTES, "");

	for (guint i = 0; i < rows->len; i++) {
		TopRow row = g_array_index(rows, TopRow, i);

		if (strcmp(row.name, caller) == 0)
			return row;
	}
	return (TopRow){ 0 };
}

static void rates_are_of_the_last_interval(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	TopRow row;

	top_model_start(model, SECOND);
	for (guint i = 0; i < 10; i++)
		take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + i, BASE + 128 * i, 1, 128);
	take(model, KMEMTRACE_EVENT_KFREE, SECOND + 20, BASE, 0, 0);
	top_model_round(model, 3 * SECOND);
	row = row_of(model, TOP_SITES, TRACE_SLAB, "one");
	g_assert_cmpint(row.live_count, ==, 9);
	g_assert_cmpint(row.live_bytes, ==, 9 * 128);
	g_assert_cmpfloat(row.growth, ==, 9 * 128 / 2.0);
	g_assert_cmpfloat(row.churn, ==, 5.0);
	for (guint i = 1; i < 5; i++)
		take(model, KMEMTRACE_EVENT_KFREE, 3 * SECOND + i, BASE + 128 * i, 0, 0);
	top_model_round(model, 5 * SECOND);
	row = row_of(model, TOP_SITES, TRACE_SLAB, "one");
	g_assert_cmpint(row.live_count, ==, 5);
	g_assert_cmpfloat(row.growth, ==, -4 * 128 / 2.0);
	g_assert_cmpfloat(row.churn, ==, 0);
	g_assert_cmpuint(asked, ==, 1);
	top_model_round(model, 5 * SECOND); /* a span of no time */
	g_assert_cmpfloat(row_of(model, TOP_SITES, TRACE_SLAB, "one").growth, ==, -4 * 128 / 2.0);
}

/* Threads that rename themselves don't make top grow: origins without live memory are dropped. */
static void origins_do_not_grow_with_names(void)
{
	enum { THREADS = 4000, SIZES = 100, LIVE = 10 };
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	struct trace_event event = { .call_site = 1, .time_ns = SECOND };
	TopRow sum;

	top_model_start(model, SECOND);
	for (guint tid = 1; tid <= THREADS; tid++) {
		g_autofree char *comm = g_strdup_printf("t%u", tid);

		top_model_name_thread(model, tid, tid, comm);
	}
	for (guint round = 0; round < 2; round++) {
		for (guint i = 0; i < THREADS * SIZES; i++) {
			gboolean lives = !round && i < LIVE;

			event.event = KMEMTRACE_EVENT_KMALLOC;
			event.addr = BASE + 8 * (lives ? i + 1 : 0);
			event.tid = i % THREADS + 1;
			event.bytes_alloc = event.bytes_req = 8 * (i / THREADS + 1);
			event.time_ns++;
			top_model_take(model, &event);
			event.event = KMEMTRACE_EVENT_KFREE;
			event.time_ns++;
			if (!lives)
				top_model_take(model, &event);
		}
		top_model_round(model, (3 + 2 * round) * SECOND);
		g_assert_cmpuint(top_model_origins(model), <=, 65536);
		sum = top_model_sum(model, TRACE_SLAB);
		g_assert_cmpint(sum.live_count, ==, LIVE);
		g_assert_cmpint(sum.live_bytes, ==, LIVE * 8);
		g_assert_cmpfloat_with_epsilon(sum.churn, THREADS * SIZES / 2.0, 0.1);
		g_assert_cmpfloat(sum.growth, ==, round ? 0 : LIVE * 8 / 2.0);
		g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "t1").live_count, ==, 1);
		g_assert_cmpfloat(row_of(model, TOP_THREADS, TRACE_SLAB, "(other)").churn, >, 0);
	}
}

static void selected_names_have_room(void)
{
	TopTasks *tasks = top_tasks_new();
	struct trace_event event = { .tid = 5 };

	top_tasks_reserve(tasks, NULL);
	top_tasks_reserve(tasks, "late");
	top_tasks_reserve(tasks, "my-name-6");
	for (guint i = 0; i < 5000; i++) {
		g_autofree char *comm = g_strdup_printf("name %u", i);

		top_tasks_rename(tasks, 4, 4, comm);
	}
	top_tasks_rename(tasks, 5, 5, "late");
	g_assert_true(top_tasks_is(tasks, &event, "late", NULL));
	top_tasks_rename(tasks, 6, 6, "my-name");
	event.tid = 6;
	g_assert_true(top_tasks_is(tasks, &event, NULL, "my-name-6"));
	g_assert_false(top_tasks_is(tasks, &event, "late", NULL));
	top_tasks_free(tasks);
}

/* Those of a thread that renames itself all the time, without memory, do not take all the room. */
static void unused_names_are_forgotten(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	struct trace_event event = { .event = KMEMTRACE_EVENT_KMALLOC, .time_ns = SECOND,
				     .addr = BASE + 8, .call_site = 1, .bytes_alloc = 8, .tid = 5 };

	top_model_start(model, SECOND);
	top_model_name_thread(model, 5, 5, "early");
	top_model_take(model, &event);
	top_model_name_thread(model, 5, 5, "renamed");
	for (guint i = 0; i < 20000; i++) {
		g_autofree char *comm = g_strdup_printf("name %u", i);

		top_model_name_thread(model, 4, 4, comm);
	}
	top_model_name_thread(model, 6, 6, "late");
	event.addr = BASE + 16;
	event.tid = 6;
	top_model_take(model, &event);
	top_model_round(model, 3 * SECOND);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "early").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "late").live_count, ==, 1);
}

/* A site whose name is found later is shown with the name of its thread. */
static void names_of_hidden_sites_are_kept(void)
{
	const TopSelection selection = { .site = "late" };
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	struct trace_event event = { .event = KMEMTRACE_EVENT_KMALLOC, .time_ns = SECOND,
				     .addr = BASE + 8, .call_site = 9, .bytes_alloc = 8, .tid = 5 };

	top_model_select(model, &selection);
	top_model_start(model, SECOND);
	top_model_name_thread(model, 5, 5, "early");
	top_model_take(model, &event);
	top_model_round(model, 3 * SECOND);
	top_model_name_thread(model, 5, 5, "renamed");
	for (guint i = 0; i < 20000; i++) {
		g_autofree char *comm = g_strdup_printf("name %u", i);

		top_model_name_thread(model, 4, 4, comm);
	}
	top_model_renew(model);
	top_model_round(model, 5 * SECOND);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "early").live_count, ==, 1);
}

static void threads_that_have_ended_are_forgotten(void)
{
	TopTasks *tasks = top_tasks_new();
	struct trace_event event = { .tid = getpid() };
	guint32 process, thread;

	top_tasks_rename(tasks, event.tid, event.tid, "myself");
	for (guint tid = 5000000; tid < 5200000; tid++) { /* above the kernel's limit */
		top_tasks_rename(tasks, tid, tid, "short");
		if (tid % 10000 == 0)
			top_tasks_catch_up(tasks);
	}
	g_assert_cmpuint(top_tasks_threads(tasks), <=, 131072);
	top_tasks_find(tasks, &event, &process, &thread);
	g_assert_cmpstr(top_tasks_name(tasks, process), ==, "myself");
	event.tid = 0;
	top_tasks_find(tasks, &event, &process, &thread);
	g_assert_cmpstr(top_tasks_name(tasks, thread), ==, "swapper");
	top_tasks_free(tasks);
}

/* Threads that have ended keep their names until all of their events have been taken, no longer. */
static void names_of_ended_threads_are_forgotten(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	struct trace_event event = { .event = KMEMTRACE_EVENT_KMALLOC, .time_ns = SECOND,
				     .addr = BASE, .call_site = 9, .bytes_alloc = 8 };

	top_model_start(model, SECOND);
	for (guint i = 0; i < 4400; i++) {
		g_autofree char *comm = g_strdup_printf("short %u", i);

		if (i == 4200 || i == 4300)
			top_model_catch_up(model);
		event.tid = 5000000 + i; /* above the kernel's limit */
		event.addr += 8;
		top_model_name_thread(model, event.tid, event.tid, comm);
		if (i == 0 || i == 4250 || i == 4399)
			top_model_take(model, &event);
		if (i == 4150) {
			event.tid = 5000001;
			top_model_take(model, &event);
		}
	}
	top_model_round(model, 3 * SECOND);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "short 0").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "short 1").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "(other)").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "short 4399").live_count, ==, 1);
}

static void rates_need_half_a_second(void)
{
	TopFacts facts = { 0 };
	TopLook look = { .delay_ns = SECOND };
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	g_autoptr(GPtrArray) lines = NULL;
	g_autofree char *json = NULL, *later = NULL;
	TopRow row;

	top_model_start(model, SECOND);
	take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + 1, BASE, 1, 128);
	top_model_round(model, SECOND + SECOND / 200);
	g_assert_false(top_model_has_rates(model));
	lines = top_page(model, &facts, &look, 0, 0);
	g_assert_cmpstr(lines->pdata[TOP_HEAD_LINES], ==,
			"        128            1          -            -  one");
	json = top_json(model, &facts, &look, 0);
	g_assert_nonnull(strstr(
		json,
		"\"live_bytes\":128,\"live_count\":1,\"growth_bytes_s\":null,\"allocs_s\":null"));
	take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + SECOND / 4, BASE + 128, 1, 128);
	top_model_round(model, SECOND + SECOND / 2); /* rates since the start */
	g_assert_true(top_model_has_rates(model));
	row = row_of(model, TOP_SITES, TRACE_SLAB, "one");
	g_assert_cmpint(row.live_bytes, ==, 256);
	g_assert_cmpfloat(row.growth, ==, 512);
	g_assert_cmpfloat(row.churn, ==, 4);
	later = top_json(model, &facts, &look, 0);
	g_assert_nonnull(strstr(later, "\"growth_bytes_s\":512.0,\"allocs_s\":4.0"));
	top_model_round(model, SECOND + SECOND / 2 + SECOND / 10); /* from then on any interval */
	g_assert_cmpfloat(row_of(model, TOP_SITES, TRACE_SLAB, "one").growth, ==, 0);
}

static void free_of_older_allocation_is_unmatched(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);

	top_model_start(model, SECOND);
	take(model, KMEMTRACE_EVENT_KFREE, SECOND + 1, BASE + 4096, 0, 0);
	take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + 2, 0, 1, 128); /* failed */
	top_model_round(model, 2 * SECOND);
	g_assert_cmpuint(top_model_unmatched(model), ==, 1);
	g_assert_cmpuint(top_model_live(model), ==, 0);
	g_assert_cmpuint(top_model_events(model), ==, 2);
	g_assert_cmpfloat(top_model_sum(model, TRACE_SLAB).churn, ==, 0);
}

static void pages_count_once_without_freed_ones(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	TopRow row;

	/* Four pages, of which one is freed; a slab's, by their stack; those of a large kmalloc. */
	top_model_start(model, SECOND);
	take_pages(model, KMEMTRACE_EVENT_PAGE_ALLOC, SECOND + 1, 16, 2, 1);
	take_pages(model, KMEMTRACE_EVENT_PAGE_FREE, SECOND + 2, 17, 0, 0);
	take_pages(model, KMEMTRACE_EVENT_PAGE_ALLOC, SECOND + 3, 32, 3, 3);
	take_pages(model, KMEMTRACE_EVENT_PAGE_ALLOC, SECOND + 4, 64, 4, 2);
	take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + 5, BASE + (64 << 12), 2, 65536);
	top_model_round(model, 2 * SECOND);
	row = top_model_sum(model, TRACE_PAGE);
	g_assert_cmpint(row.live_count, ==, 1);
	g_assert_cmpint(row.live_bytes, ==, 3 * 4096);
	g_assert_cmpfloat(row.churn, ==, 1);
	row = top_model_sum(model, TRACE_SLAB);
	g_assert_cmpint(row.live_bytes, ==, 65536);
	g_assert_cmpint(row_of(model, TOP_MODULES, TRACE_SLAB, "mod").live_bytes, ==, 65536);
	g_assert_cmpint(row_of(model, TOP_CACHES, TRACE_SLAB, "other").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_MODULES, TRACE_PAGE, "(kernel)").live_bytes, ==,
			3 * 4096);
}

static TopModel *sample_model(guint *asked)
{
	TopModel *model = top_model_new(12, BASE, name, asked);

	top_model_start(model, SECOND);
	for (guint i = 0; i < 3; i++)
		take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + i, BASE + 128 * i, 1, 128);
	take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + 9, BASE + 8192, 2, 1024);
	top_model_round(model, 2 * SECOND);
	return model;
}

static char *first_by(const TopModel *model, TopSort sort)
{
	g_autoptr(GArray) rows = top_model_rows(model, TOP_SITES, TRACE_SLAB, sort, "");

	g_assert_cmpuint(rows->len, ==, 2);
	return g_strdup(g_array_index(rows, TopRow, 0).name);
}

static void rows_are_sorted(void)
{
	static const char *const first[TOP_SORTS] = {
		[TOP_BY_BYTES] = "two", [TOP_BY_COUNT] = "one", [TOP_BY_GROWTH] = "two",
		[TOP_BY_CHURN] = "one", [TOP_BY_NAME] = "one",
	};
	guint asked = 0;
	g_autoptr(TopModel) model = sample_model(&asked);

	for (guint sort = 0; sort < TOP_SORTS; sort++) {
		g_autofree char *found = first_by(model, sort);

		g_assert_cmpstr(found, ==, first[sort]);
	}
}

static void call_sites_of_later_modules_get_a_name(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);

	top_model_start(model, SECOND);
	take(model, KMEMTRACE_EVENT_KMALLOC, SECOND + 1, BASE, 9, 128);
	top_model_round(model, 2 * SECOND);
	g_assert_cmpint(row_of(model, TOP_SITES, TRACE_SLAB, "one").live_count, ==, 1);
	top_model_renew(model);
	take(model, KMEMTRACE_EVENT_KMALLOC, 2 * SECOND + 1, BASE + 128, 9, 128);
	top_model_round(model, 3 * SECOND);
	g_assert_cmpuint(asked, ==, 3); /* once more, for later events */
	g_assert_cmpint(row_of(model, TOP_SITES, TRACE_SLAB, "late").live_count, ==, 2);
}

/* ---- processes and threads ---- */

static void name_by_event(TopModel *model, guint64 time_ns, guint32 tid, guint32 tgid,
			  const char *comm)
{
	struct trace_event event = {
		.event = KMEMTRACE_EVENT_TASK, .time_ns = time_ns, .tid = tid, .tgid = tgid
	};

	g_strlcpy(event.comm, comm, sizeof(event.comm));
	top_model_take(model, &event);
}

static void take_of(TopModel *model, guint64 time_ns, guint64 addr, guint32 tid, guint context)
{
	top_model_take(model, &(struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC,
						     .time_ns = time_ns,
						     .addr = addr,
						     .call_site = 1,
						     .bytes_req = 128,
						     .bytes_alloc = 128,
						     .tid = tid,
						     .context = context });
}

/* 10 and 11 are threads of "shell"; 20 is another process, and then another program. */
static TopModel *model_selected(guint *asked, const TopSelection *selection)
{
	TopModel *model = top_model_new(12, BASE, name, asked);

	top_model_select(model, selection);
	top_model_start(model, SECOND);
	top_model_name_thread(model, 10, 10, "shell");
	name_by_event(model, SECOND + 1, 11, 10, "worker");
	name_by_event(model, SECOND + 2, 20, 20, "shell");
	take_of(model, SECOND + 3, BASE, 10, KMEMTRACE_CONTEXT_TASK);
	take_of(model, SECOND + 4, BASE + 128, 11, KMEMTRACE_CONTEXT_TASK);
	take_of(model, SECOND + 5, BASE + 256, 20, KMEMTRACE_CONTEXT_TASK);
	name_by_event(model, SECOND + 6, 20, 20, "make");
	take_of(model, SECOND + 7, BASE + 384, 20, KMEMTRACE_CONTEXT_TASK);
	take_of(model, SECOND + 8, BASE + 512, 20, KMEMTRACE_CONTEXT_SOFTIRQ);
	take_of(model, SECOND + 9, BASE + 640, 99, KMEMTRACE_CONTEXT_TASK);
	top_model_round(model, 2 * SECOND);
	return model;
}

static TopModel *model_with_threads(guint *asked)
{
	return model_selected(asked, &(TopSelection){ NULL });
}

static gint64 count_selected(const TopSelection *selection)
{
	guint asked = 0;
	g_autoptr(TopModel) model = model_selected(&asked, selection);
	TopRow row = row_of(model, TOP_SITES, TRACE_SLAB, "one");

	g_assert_cmpint(top_model_sum(model, TRACE_SLAB).live_count, ==, row.live_count);
	return row.live_count;
}

static void only_what_is_selected_is_shown(void)
{
	const Range small = { 0, 127 }, equal = { 128, 128 };

	g_assert_cmpint(count_selected(&(TopSelection){ .process = "shell" }), ==, 3);
	g_assert_cmpint(count_selected(&(TopSelection){ .process = "10" }), ==, 2);
	g_assert_cmpint(count_selected(&(TopSelection){ .process = "shell-20" }), ==, 1);
	g_assert_cmpint(count_selected(&(TopSelection){ .thread = "worker" }), ==, 1);
	g_assert_cmpint(count_selected(&(TopSelection){ .thread = "11" }), ==, 1);
	g_assert_cmpint(count_selected(&(TopSelection){ .thread = "worker-11" }), ==, 1);
	g_assert_cmpint(count_selected(&(TopSelection){ .thread = "worker", .process = "make" }),
			==, 0);
	g_assert_cmpint(count_selected(&(TopSelection){ .site = "one" }), ==, 6);
	g_assert_cmpint(count_selected(&(TopSelection){ .site = "two" }), ==, 0);
	g_assert_cmpint(count_selected(&(TopSelection){ .module = "kernel" }), ==, 6);
	g_assert_cmpint(count_selected(&(TopSelection){ .module = "mod" }), ==, 0);
	g_assert_cmpint(count_selected(&(TopSelection){ .size = &equal }), ==, 6);
	g_assert_cmpint(count_selected(&(TopSelection){ .size = &small }), ==, 0);
	g_assert_cmpint(count_selected(&(TopSelection){ .order = &small }), ==, 0);
}

static void selected_pages_are_of_an_order(void)
{
	const Range order = { 1, 3 };
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);

	top_model_select(model, &(TopSelection){ .order = &order });
	top_model_start(model, SECOND);
	for (guint i = 0; i < 5; i++)
		take_pages(model, KMEMTRACE_EVENT_PAGE_ALLOC, SECOND + i, 16 << i, i, 1);
	top_model_round(model, 2 * SECOND);
	g_assert_cmpint(row_of(model, TOP_SITES, TRACE_PAGE, "one").live_count, ==, 3);
	g_assert_cmpint(top_model_sum(model, TRACE_PAGE).live_bytes, ==, (2 + 4 + 8) * 4096);
}

static void processes_and_threads_have_the_name_of_the_time(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = model_with_threads(&asked);

	g_assert_cmpint(row_of(model, TOP_PROCESSES, TRACE_SLAB, "shell").live_count, ==, 3);
	g_assert_cmpint(row_of(model, TOP_PROCESSES, TRACE_SLAB, "make").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_PROCESSES, TRACE_SLAB, "(interrupt)").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_PROCESSES, TRACE_SLAB, "(unknown)").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "shell").live_count, ==, 2);
	g_assert_cmpint(row_of(model, TOP_THREADS, TRACE_SLAB, "worker").live_count, ==, 1);
	g_assert_cmpint(row_of(model, TOP_SITES, TRACE_SLAB, "one").live_count, ==, 6);
}

static void names_of_threads_are_limited(void)
{
	guint asked = 0;
	g_autoptr(TopModel) model = top_model_new(12, BASE, name, &asked);
	g_autoptr(GArray) rows = NULL;

	top_model_start(model, SECOND);
	for (guint i = 0; i < 5000; i++) {
		g_autofree char *comm = g_strdup_printf("%u", i);

		name_by_event(model, SECOND + 2 * i, 10, 10, comm);
		take_of(model, SECOND + 2 * i + 1, BASE + 128 * i, 10, KMEMTRACE_CONTEXT_TASK);
	}
	top_model_round(model, 2 * SECOND);
	rows = top_model_rows(model, TOP_THREADS, TRACE_SLAB, TOP_BY_BYTES, "");
	g_assert_cmpuint(rows->len, <=, 4096);
	g_assert_cmpstr(g_array_index(rows, TopRow, 0).name, ==, "(other)");
	g_assert_cmpint(g_array_index(rows, TopRow, 0).live_count, ==, 5001 - (gint64)rows->len);
}

/* ---- the page ---- */

static void filter_holds_while_it_is_typed(void)
{
	TopFacts facts = { 0 };
	guint asked = 0;
	g_autoptr(TopModel) model = model_with_threads(&asked);
	TopLook look = { .delay_ns = SECOND };
	static const struct {
		int key;
		guint rows;
	} steps[] = { { 'T', 5 },  { '/', 5 }, { 'M', 1 }, { 'q', 0 }, { TOP_KEY_BACKSPACE, 1 },
		      { '\n', 1 }, { 'P', 1 }, { 27, 4 },  { '/', 4 }, { 'x', 0 },
		      { 27, 4 },   { 'f', 1 }, { '/', 1 }, { 'z', 0 } };

	for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autoptr(GPtrArray) lines = NULL;

		g_assert_cmpint(top_look_key(&look, steps[i].key, 9), ==, TOP_KEY_SHOW);
		lines = top_page(model, &facts, &look, 80, 24);
		g_assert_cmpuint(lines->len, ==, TOP_HEAD_LINES + steps[i].rows);
		if (i == 5)
			g_assert_nonnull(strstr(lines->pdata[2], "only rows with: M; "));
	}
	g_assert_cmpint(look.asks, ==, TOP_ASKS_FILTER);
	top_look_key(&look, TOP_KEY_DOWN, 9); /* scrolls, and asks on */
	g_assert_cmpint(look.asks, ==, TOP_ASKS_FILTER);
}

/* The name, and the sort column. */
static void narrow_terminal_shows_what_counts(void)
{
	TopFacts facts = { 0 };
	guint asked = 0;
	g_autoptr(TopModel) model = sample_model(&asked);
	static const char *const titles[][TOP_SORTS] = {
		{ "*live bytes     growth/s  caller [module]",
		  " live bytes  *live count  caller [module]",
		  " live bytes    *growth/s  caller [module]",
		  " live bytes    *allocs/s  caller [module]",
		  " live bytes     growth/s  *caller [module]" },
		{ "*live bytes   live count     growth/s  caller [module]",
		  " live bytes  *live count     growth/s  caller [module]",
		  " live bytes   live count    *growth/s  caller [module]",
		  " live bytes   live count    *allocs/s  caller [module]",
		  " live bytes   live count     growth/s  *caller [module]" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(titles); i++) {
		for (TopSort sort = 0; sort < TOP_SORTS; sort++) {
			TopLook look = { .delay_ns = SECOND, .sort = sort };
			g_autoptr(GPtrArray) lines =
				top_page(model, &facts, &look, i ? 79 : 60, 12);

			g_assert_cmpstr(lines->pdata[TOP_HEAD_LINES - 1], ==, titles[i][sort]);
			g_assert_true(
				g_str_has_suffix(lines->pdata[TOP_HEAD_LINES], "  two [mod]") ||
				g_str_has_suffix(lines->pdata[TOP_HEAD_LINES], "  one"));
		}
	}
}

static void page_fits_its_terminal(void)
{
	TopFacts facts = { .span_ns = 45 * SECOND,
			   .unseen = "a, very, long, list, of, sources",
			   .filters = "cache \xff\n, pids 1 2 3 4",
			   .stats = { .written = 12345678 } };
	guint asked = 0;
	g_autoptr(TopModel) model = sample_model(&asked);
	TopLook look = { .delay_ns = SECOND };

	facts.stats.lost[KMEMTRACE_LOSS_BUFFER_FULL] = 77;
	for (guint width = 1; width < 120; width++) {
		g_autoptr(GPtrArray) lines = top_page(model, &facts, &look, width, 5);

		g_assert_cmpuint(lines->len, ==, 5);
		for (guint i = 0; i < lines->len; i++) {
			g_assert_cmpuint(strlen(lines->pdata[i]), <=, width);
			g_assert_true(g_str_is_ascii(lines->pdata[i]));
			g_assert_null(strpbrk(lines->pdata[i], "\n\t"));
		}
	}
}

static void page_begins_with_losses(void)
{
	TopFacts facts = { .span_ns = 45 * SECOND, .stats = { .written = 12345678 } };
	guint asked = 0;
	g_autoptr(TopModel) model = sample_model(&asked);
	g_autoptr(GPtrArray) lines = NULL;
	TopLook look = { .delay_ns = SECOND };

	facts.stats.lost[KMEMTRACE_LOSS_BUFFER_FULL] = 77;
	lines = top_page(model, &facts, &look, 0, 0);
	g_assert_true(g_str_has_prefix(lines->pdata[0], "since "));
	g_assert_nonnull(
		strstr(lines->pdata[0], ": 77 events lost, 12,345,678 seen; unseen: no source"));
	g_assert_cmpstr(lines->pdata[1], ==,
			"slab objects by call site: 1.4K live in 4; 0 unmatched frees");
	g_assert_cmpuint(lines->len, ==, TOP_HEAD_LINES + 2);
	g_assert_cmpstr(lines->pdata[TOP_HEAD_LINES - 1], ==,
			"*live bytes   live count   growth/s     allocs/s  caller [module]");
	g_assert_cmpstr(lines->pdata[TOP_HEAD_LINES], ==,
			"       1.0K            1      +1.0K          1.0  two [mod]");
	g_assert_cmpstr(lines->pdata[TOP_HEAD_LINES + 1], ==,
			"        384            3       +384          3.0  one");
}

static void scrolling_ends_at_the_last_row(void)
{
	TopFacts facts = { 0 };
	guint asked = 0;
	g_autoptr(TopModel) model = sample_model(&asked);
	g_autoptr(GPtrArray) lines = NULL;
	TopLook look = { .delay_ns = SECOND };

	g_assert_cmpint(top_look_key(&look, TOP_KEY_PAGE_DOWN, 20), ==, TOP_KEY_SHOW);
	lines = top_page(model, &facts, &look, 80, 24);
	g_assert_cmpuint(lines->len, ==, TOP_HEAD_LINES + 1);
	g_assert_cmpuint(look.first, ==, 1);
	top_look_key(&look, TOP_KEY_UP, 20);
	top_look_key(&look, TOP_KEY_UP, 20);
	g_assert_cmpuint(look.first, ==, 0);
	g_assert_cmpint(top_look_key(&look, TOP_KEY_END, 20), ==, TOP_KEY_SHOW);
	g_assert_cmpint(top_look_key(&look, TOP_KEY_PAGE_DOWN, 20), ==, TOP_KEY_SHOW);
	g_ptr_array_unref(lines);
	lines = top_page(model, &facts, &look, 80, 24);
	g_assert_cmpuint(look.first, ==, 1);
	g_assert_cmpint(top_look_key(&look, TOP_KEY_HOME, 20), ==, TOP_KEY_SHOW);
	g_assert_cmpuint(look.first, ==, 0);
}

static void q_closes_the_help_and_then_quits(void)
{
	TopLook look = { .delay_ns = SECOND };

	g_assert_cmpint(top_look_key(&look, 'h', 9), ==, TOP_KEY_SHOW);
	g_assert_true(look.help);
	g_assert_cmpint(top_look_key(&look, 'q', 9), ==, TOP_KEY_SHOW);
	g_assert_false(look.help);
	g_assert_cmpint(top_look_key(&look, 'q', 9), ==, TOP_KEY_QUIT);
}

static void keys_change_view_kind_and_sort(void)
{
	TopLook look = { .delay_ns = SECOND };

	g_assert_cmpint(top_look_key(&look, 'q', 9), ==, TOP_KEY_QUIT);
	g_assert_cmpint(top_look_key(&look, 'x', 9), ==, TOP_KEY_NONE);
	top_look_key(&look, 'k', 9);
	g_assert_cmpint(look.kind, ==, TRACE_PAGE);
	top_look_key(&look, 'c', 9); /* caches are of slab objects */
	g_assert_cmpint(look.view, ==, TOP_CACHES);
	g_assert_cmpint(look.kind, ==, TRACE_SLAB);
	top_look_key(&look, 'k', 9);
	g_assert_cmpint(look.view, ==, TOP_SITES);
	top_look_key(&look, '<', 9);
	g_assert_cmpint(look.sort, ==, TOP_BY_NAME);
	top_look_key(&look, 's', 9);
	g_assert_cmpint(look.sort, ==, TOP_BY_BYTES);
	top_look_key(&look, ' ', 9);
	g_assert_true(look.paused);
}

static void keys_skip_untraced_kinds(void)
{
	TopLook look = { .kind = TRACE_PAGE, .untraced = 1 << TRACE_SLAB | 1 << TRACE_PERCPU };

	g_assert_cmpint(top_look_key(&look, 'k', 9), ==, TOP_KEY_SHOW);
	g_assert_cmpint(look.kind, ==, TRACE_VMALLOC);
	top_look_key(&look, 'k', 9);
	g_assert_cmpint(look.kind, ==, TRACE_PAGE);
	g_assert_cmpint(top_look_key(&look, 'c', 9), ==, TOP_KEY_NONE);
	g_assert_cmpint(look.view, ==, TOP_SITES);
	g_assert_cmpint(look.kind, ==, TRACE_PAGE);
	look.untraced |= 1 << TRACE_VMALLOC; /* only one kind is left, which follows itself */
	top_look_key(&look, 'k', 9);
	g_assert_cmpint(look.kind, ==, TRACE_PAGE);
}

static void type(TopLook *look, const char *keys)
{
	for (; *keys; keys++)
		g_assert_cmpint(top_look_key(look, *keys, 9), ==, TOP_KEY_SHOW);
}

static void delay_is_read_from_keys(void)
{
	TopLook look = { .delay_ns = SECOND };

	type(&look, "d1.5\n");
	g_assert_cmpuint(look.delay_ns, ==, 3 * SECOND / 2);
	type(&look, "d7q\x7f\n"); /* q is a letter here, then deleted */
	g_assert_cmpuint(look.delay_ns, ==, 7 * SECOND);
	type(&look, "dnonsense\n");
	g_assert_cmpuint(look.delay_ns, ==, 7 * SECOND);
	type(&look, "d5\x1b");
	g_assert_cmpuint(look.delay_ns, ==, 7 * SECOND);
	type(&look, "d0\n");
	g_assert_cmpuint(look.delay_ns, ==, TOP_DELAY_MIN_NS);
	type(&look, "d123456789012345678901234567890");
	g_assert_cmpuint(strlen(look.answer), ==, sizeof(look.answer) - 1);
}

/* ---- names ---- */

static void caller_is_behind_the_allocators(void)
{
	static const char kallsyms[] = "ffffffff81000000 T kmalloc_trace\n"
				       "ffffffff81000100 T alloc_slab_page\n"
				       "ffffffff81000200 T ext4_readdir\n"
				       "ffffffff81000300 T __pcs_replace_full_main\n"
				       "ffffffff81000400 T end\n";
	static const guint64 sheaf[] = { 0xffffffff81000310, 0xffffffff81000210 };
	static const guint64 stack[] = { 0xffffffff81000010, 0xffffffff81000110,
					 0xffffffff81000210 };
	g_autoptr(Symbols) symbols = symbols_new(kallsyms, NULL);
	TopName found = { 0 };

	top_names_resolve(symbols, stack[0], stack, 3, FALSE, &found);
	g_assert_cmpstr(found.caller, ==, "ext4_readdir");
	g_assert_cmpint(found.backing, ==, PAIR_BACKING_SLAB);
	g_assert_false(found.unresolved);
	top_names_resolve(symbols, stack[2], stack, 3, FALSE, &found);
	g_assert_cmpstr(found.caller, ==, "ext4_readdir");
	top_names_resolve(symbols, sheaf[0], sheaf, 2, FALSE, &found);
	g_assert_cmpstr(found.caller, ==, "__pcs_replace_full_main");
	top_names_resolve(symbols, sheaf[0], sheaf, 2, TRUE, &found);
	g_assert_cmpstr(found.caller, ==, "ext4_readdir");
	top_names_resolve(symbols, 0x1000, NULL, 0, FALSE, &found);
	g_assert_cmpstr(found.caller, ==, "0x1000");
	g_assert_true(found.unresolved);
}

/* ---- the order of events ---- */

#define RECORDS 2 /* of a sub-buffer */
#define SUBBUF  (sizeof(struct kmemtrace_subbuf_header) + RECORDS * sizeof(struct kmemtrace_record))

static void append(const char *dir, guint cpu, guint64 first_ns, guint64 second_ns)
{
	g_autofree char *path = g_strdup_printf("%s/trace%u", dir, cpu);
	struct kmemtrace_subbuf_header header = {
		.magic = KMEMTRACE_SUBBUF_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(header),
		.record_len = sizeof(struct kmemtrace_record),
		.byte_order = KMEMTRACE_BYTE_ORDER_LITTLE,
		.word_size = 8,
		.cpu = cpu,
	};
	struct kmemtrace_record records[RECORDS] = {
		{ .time_ns = first_ns, .type = KMEMTRACE_EVENT_KMALLOC },
		{ .time_ns = second_ns, .type = KMEMTRACE_EVENT_KFREE },
	};
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	g_assert_cmpint(write(fd, &header, sizeof(header)), ==, sizeof(header));
	g_assert_cmpint(write(fd, records, sizeof(records)), ==, sizeof(records));
	close(fd);
}

static void set(const char *dir, const char *file, const char *text)
{
	g_autofree char *path = g_build_filename(dir, file, NULL);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void expect(LiveStream *tap, guint64 time_ns, guint cpu)
{
	const struct trace_event *event = live_stream_next(tap);

	g_assert_nonnull(event);
	g_assert_cmpuint(event->time_ns, ==, time_ns);
	g_assert_cmpuint(event->cpu, ==, cpu);
}

static void remove_all(const char *dir)
{
	static const char *const files[] = { "flush", "subbuf_size", "trace0", "trace1" };

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_build_filename(dir, files[i], NULL);

		g_unlink(path);
	}
	g_rmdir(dir);
}

/* A flush writes a 1 over the first byte of its file, which also holds the time here. */
static void stream_gives_events_before_the_flush(void)
{
	g_autofree char *dir = g_dir_make_tmp("kmt-XXXXXX", NULL);
	g_autofree char *size = g_strdup_printf("%zu\n", SUBBUF);
	Control *control = module_control_new(dir);
	g_autoptr(GError) error = NULL;
	LiveStream *tap;

	g_assert_false(live_stream_check(control, &error));
	g_clear_error(&error);
	set(dir, "subbuf_size", size);
	append(dir, 0, 100, 140);
	append(dir, 1, 110, 120);
	append(dir, 1, 160, 170);
	tap = live_stream_open(control, &error);
	g_assert_no_error(error);
	g_assert_true(live_stream_read(tap, &error));
	g_assert_null(live_stream_next(tap)); /* no flush yet, so nothing is complete */
	set(dir, "flush", "165\n");
	g_assert_true(live_stream_flush(tap, &error));
	g_assert_cmpuint(live_stream_until(tap), ==, 165);
	expect(tap, 100, 0);
	expect(tap, 110, 1);
	expect(tap, 120, 1);
	expect(tap, 140, 0);
	expect(tap, 160, 1);
	g_assert_null(live_stream_next(tap));
	append(dir, 0, 166, 180);
	set(dir, "flush", "180\n");
	g_assert_true(live_stream_flush(tap, &error));
	expect(tap, 166, 0);
	expect(tap, 170, 1);
	g_assert_null(live_stream_next(tap)); /* the one at 180 is not before the flush */
	live_stream_close(tap);
	control_close(control);
	remove_all(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/top/rates_are_of_the_last_interval", rates_are_of_the_last_interval);
	g_test_add_func("/top/origins_do_not_grow_with_names", origins_do_not_grow_with_names);
	g_test_add_func("/top/selected_names_have_room", selected_names_have_room);
	g_test_add_func("/top/unused_names_are_forgotten", unused_names_are_forgotten);
	g_test_add_func("/top/names_of_hidden_sites_are_kept", names_of_hidden_sites_are_kept);
	g_test_add_func("/top/threads_that_have_ended_are_forgotten", threads_that_have_ended_are_forgotten);
	g_test_add_func("/top/names_of_ended_threads_are_forgotten", names_of_ended_threads_are_forgotten);
	g_test_add_func("/top/rates_need_half_a_second", rates_need_half_a_second);
	g_test_add_func("/top/free_of_older_allocation_is_unmatched",
			free_of_older_allocation_is_unmatched);
	g_test_add_func("/top/pages_count_once_without_freed_ones",
			pages_count_once_without_freed_ones);
	g_test_add_func("/top/rows_are_sorted", rows_are_sorted);
	g_test_add_func("/top/call_sites_of_later_modules_get_a_name",
			call_sites_of_later_modules_get_a_name);
	g_test_add_func("/top/page_fits_its_terminal", page_fits_its_terminal);
	g_test_add_func("/top/page_begins_with_losses", page_begins_with_losses);
	g_test_add_func("/top/scrolling_ends_at_the_last_row", scrolling_ends_at_the_last_row);
	g_test_add_func("/top/processes_and_threads_have_the_name_of_the_time",
			processes_and_threads_have_the_name_of_the_time);
	g_test_add_func("/top/only_what_is_selected_is_shown", only_what_is_selected_is_shown);
	g_test_add_func("/top/selected_pages_are_of_an_order", selected_pages_are_of_an_order);
	g_test_add_func("/top/names_of_threads_are_limited", names_of_threads_are_limited);
	g_test_add_func("/top/filter_holds_while_it_is_typed", filter_holds_while_it_is_typed);
	g_test_add_func("/top/narrow_terminal_shows_what_counts",
			narrow_terminal_shows_what_counts);
	g_test_add_func("/top/q_closes_the_help_and_then_quits", q_closes_the_help_and_then_quits);
	g_test_add_func("/top/keys_change_view_kind_and_sort", keys_change_view_kind_and_sort);
	g_test_add_func("/top/keys_skip_untraced_kinds", keys_skip_untraced_kinds);
	g_test_add_func("/top/delay_is_read_from_keys", delay_is_read_from_keys);
	g_test_add_func("/top/caller_is_behind_the_allocators", caller_is_behind_the_allocators);
	g_test_add_func("/top/stream_gives_events_before_the_flush",
			stream_gives_events_before_the_flush);
	return g_test_run();
}
