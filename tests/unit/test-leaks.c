// SPDX-License-Identifier: GPL-2.0-or-later
/* leaks, grow and module, on known traces. */
#include <glib.h>

#include "report/check/figures.h"
#include "report/leaks/leaks.h"
#include "report/summary/module.h"
#include "store-check.h"

#define SECOND	G_GUINT64_CONSTANT(1000000000)
#define START	(1000 * SECOND)	/* of the traced machine's clock */

static const char kallsyms[] = "ffffffff81001000 T linear\n"
			       "ffffffff81002000 T plateau\n"
			       "ffffffff81003000 T sawtooth\n"
			       "ffffffff81004000 T at_end\n"
			       "ffffffff81005000 T young\n"
			       "ffffffff81006000 T do_one_initcall\n"
			       "ffffffff81007000 T do_init_module\n"
			       "ffffffff81008000 T __do_sys_delete_module\n"
			       "ffffffff81009000 T alloc_slab_obj_exts\n"
			       "ffffffff8100a000 T alloc_vmap_area\n"
			       "ffffffff8100b000 T vm_map_ram\n"
			       "ffffffff8100c000 T pcpu_create_chunk\n"
			       "ffffffff8100d000 t __pcs_replace_full_main\n"
			       "ffffffff8100e000 t __vmap_pages_range_noflush\n"
			       "ffffffff8100f000 t shrink_slab\n"
			       "ffffffff81010000 T _etext\n"
			       "ffffffffc0001000 t mod_work\t[mod]\n"
			       "ffffffffc0002000 t mod_exit\t[mod]\n"
			       "ffffffffc0004000 t kmt_module_came\t[kmemtrace]\n";

enum {
	LINEAR = 0x1010,
	PLATEAU = 0x2010,
	SAWTOOTH = 0x3010,
	AT_END = 0x4010,
	YOUNG = 0x5010,
	INITCALL = 0x6010,
	INIT_MODULE = 0x7010,
	DELETE_MODULE = 0x8010,
	OBJ_EXTS = 0x9010,
	VMAP_AREA = 0xa010,
	MAP_RAM = 0xb010,
	CHUNK = 0xc010,
	SHEAF = 0xd010,
	PAGE_TABLE = 0xe010,
	SHRINK = 0xf010,
	MOD_WORK = 0x3f001010,
	MOD_EXIT = 0x3f002010,
	TRACER = 0x3f004010,
	INIT_TEXT = 0x3f801010,	/* of no listed module */
};

typedef struct {
	struct check_store store;
	GArray *events;		/* of struct trace_event, in any order */
	guint64 next;		/* object */
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	f->events = g_array_new(FALSE, FALSE, sizeof(struct trace_event));
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START, "page_size 4096\n");
	builder_task(f->store.builder, 0, START, 7, 7, "worker");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	g_array_unref(f->events);
	check_store_clear(&f->store);
}

/* ---- events ---- */

/* Stack 0: none. @s: seconds from the start. */
static void put(Fixture *f, guint8 type, guint64 s, guint64 addr, guint32 site, guint32 stack,
		guint32 bytes)
{
	struct trace_event event = { .event = type, .time_ns = START + s * SECOND, .addr = addr,
				     .call_site = TEXT + site, .stack_id = stack,
				     .bytes_req = bytes, .bytes_alloc = bytes, .tid = 7,
				     .node = KMEMTRACE_NODE_ANY };

	g_array_append_val(f->events, event);
}

/* By the thread @tid. */
static void take_by(Fixture *f, guint64 s, guint32 site, guint32 tid, guint32 bytes)
{
	put(f, KMEMTRACE_EVENT_KMALLOC, s, BASE + ++f->next * 4096, site, 0, bytes);
	g_array_index(f->events, struct trace_event, f->events->len - 1).tid = tid;
}

/* The object's address. */
static guint64 take_with(Fixture *f, guint64 s, guint32 site, guint32 stack, guint32 bytes)
{
	guint64 addr = BASE + ++f->next * 4096;

	put(f, KMEMTRACE_EVENT_KMALLOC, s, addr, site, stack, bytes);
	return addr;
}

static guint64 take(Fixture *f, guint64 s, guint32 site, guint32 bytes)
{
	return take_with(f, s, site, 0, bytes);
}

static void give(Fixture *f, guint64 s, guint64 addr)
{
	put(f, KMEMTRACE_EVENT_KFREE, s, addr, PLATEAU, 0, 0);
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const struct trace_event *one = a, *other = b;

	return one->time_ns < other->time_ns ? -1 : one->time_ns > other->time_ns;
}

/* Writes the events put so far, in time order. */
static void write_events(Fixture *f)
{
	g_array_sort(f->events, by_time);
	for (guint i = 0; i < f->events->len; i++)
		builder_event(f->store.builder, 0, g_array_index(f->events, struct trace_event, i));
	g_array_set_size(f->events, 0);
}

static void load(Fixture *f)
{
	write_events(f);
	check_store_load(&f->store);
}

/*
 * A trace of 1000 s. linear: 1 KiB each 10 s, nothing freed. plateau: 64 of 256 bytes, one a
 * second, and no more. sawtooth: each 50 s 10 of 128 bytes, of which 9 are freed 40 s later.
 * at_end: 512 bytes each 10 s, of which all but 2 are freed at 990 s. young: 64 bytes at 995 s.
 */
static void put_shapes(Fixture *f)
{
	for (guint s = 10; s <= 1000; s += 10)
		take(f, s, LINEAR, 1024);
	for (guint s = 1; s <= 64; s++)
		take(f, s, PLATEAU, 256);
	for (guint s = 1; s <= 951; s += 50) {
		take(f, s, SAWTOOTH, 128);
		for (guint i = 0; i < 9; i++)
			give(f, s + 40, take(f, s, SAWTOOTH, 128));
	}
	for (guint s = 10; s <= 980; s += 10) {
		guint64 addr = take(f, s, AT_END, 512);

		if (s > 20)
			give(f, 990, addr);
	}
	take(f, 995, YOUNG, 64);
}

/* ---- answers ---- */

static void expect_leaks(Fixture *f, const LeaksOptions *options, gboolean json, const char *part)
{
	g_autofree char *text = check_answer(&f->store, leaks_print, options, json);

	check_has(text, part);
}

static void leaks_have_their_growth_pattern(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9,
				       .older_ns = 60 * SECOND };

	put_shapes(f);
	load(f);
	expect_leaks(f, &options, TRUE,
		     "\"older_ns\": 60000000000,\n\"slab\": [\n"
		     "{\"old_bytes\":95232,\"old_count\":93,\"live_bytes\":102400,\"oldest_ns\":990000000000,"
		     "\"under_1s\":1,\"under_10s\":0,\"under_1m\":5,\"under_10m\":54,\"over_10m\":40,"
		     "\"doubtful\":0,\"verdict\":\"likely leak\",\"shape\":\"linear\",\"holder\":\"linear\",\"module\":null},\n"
		     "{\"old_bytes\":2432,\"old_count\":19,\"live_bytes\":2560,\"oldest_ns\":999000000000,"
		     "\"under_1s\":0,\"under_10s\":0,\"under_1m\":1,\"under_10m\":11,\"over_10m\":8,"
		     "\"doubtful\":0,\"verdict\":\"likely leak\",\"shape\":\"sawtooth\",\"holder\":\"sawtooth\",\"module\":null},\n"
		     "{\"old_bytes\":16384,\"old_count\":64,\"live_bytes\":16384,\"oldest_ns\":999000000000,"
		     "\"under_1s\":0,\"under_10s\":0,\"under_1m\":0,\"under_10m\":0,\"over_10m\":64,"
		     "\"doubtful\":0,\"verdict\":\"stopped\",\"shape\":\"plateau\",\"holder\":\"plateau\",\"module\":null},\n"
		     "{\"old_bytes\":1024,\"old_count\":2,\"live_bytes\":1024,\"oldest_ns\":990000000000,"
		     "\"under_1s\":0,\"under_10s\":0,\"under_1m\":0,\"under_10m\":0,\"over_10m\":2,"
		     "\"doubtful\":0,\"verdict\":\"few\",\"shape\":\"freed_at_end\",\"holder\":\"at_end\",\"module\":null}\n]");
	g_assert_false(f->store.incomplete);
}

/* The tracer's own memory for each loaded module grows, too. */
static void memory_of_the_tracer_is_no_suspect(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 9, .to_ns = -1 };
	static const char *const by[] = { "site", "stack", "module", "cache", "task" };
	uint64_t addrs[] = { TEXT + PLATEAU, TEXT + TRACER };
	guint32 stack = builder_stack(f->store.builder, addrs, 2);

	for (guint s = 10; s <= 1000; s += 10)
		take(f, s, TRACER, 3000);
	for (guint s = 10; s <= 1000; s += 10)
		take_with(f, s, PLATEAU, stack, 5);
	take(f, 5, LINEAR, 64);
	load(f);
	for (guint i = 0; i < G_N_ELEMENTS(by); i++) {
		g_autofree char *leaks = NULL, *grow = NULL;

		options.by = by[i];
		leaks = check_answer(&f->store, leaks_print, &options, TRUE);
		grow = check_answer(&f->store, grow_print, &options, TRUE);
		check_has(leaks, "\"slab\": [\n{\"old_bytes\":64,\"old_count\":1,");
		check_has_not(leaks, "\"old_bytes\":3");
		check_has_not(leaks, "kmt_module_came");
		check_has(leaks, "\"tracer\": [\n{\"live_bytes\":300500,\"live_count\":200,\"kind\":\"slab\"}\n]");
		check_has_not(grow, "\"grown_bytes\":3");
		check_has(grow, "\"tracer\": [\n{\"live_bytes\":300500,");
	}
	options.by = "site";
	expect_leaks(f, &options, FALSE, "\n(without the tracer's own memory: 293.5K in 200 of kind slab)\n");
	options.site = "kmt_module_came";
	expect_leaks(f, &options, TRUE, "\"slab\": [\n{\"old_bytes\":297000,");
}

/* The pages of the trace file are the recorder's; the shell that started it is no recorder. */
static void memory_of_the_recorder_is_no_suspect(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 9, .to_ns = -1 };
	static const char *const by[] = { "site", "stack", "module", "cache" };

	builder_snapshot(f->store.builder, "tasks", KMEMTRACE_PHASE_START,
			 "77 77 kmemtrace-user\n78 77 drain\n79 79 sh\n");
	for (guint s = 10; s <= 1000; s += 10)
		take_by(f, s, LINEAR, 77, 3000);
	take_by(f, 5, LINEAR, 79, 64);
	load(f);
	for (guint i = 0; i < G_N_ELEMENTS(by); i++) {
		g_autofree char *leaks = NULL, *grow = NULL;

		options.by = by[i];
		leaks = check_answer(&f->store, leaks_print, &options, TRUE);
		grow = check_answer(&f->store, grow_print, &options, TRUE);
		check_has(leaks, "\"slab\": [\n{\"old_bytes\":64,\"old_count\":1,\"live_bytes\":64,");
		check_has(leaks, "\"tracer\": [\n{\"live_bytes\":300000,\"live_count\":100,\"kind\":\"slab\"}\n]");
		check_has_not(grow, "\"grown_bytes\":3");
	}
	expect_leaks(f, &options, FALSE, "\n(without the tracer's own memory: 293.0K in 100 of kind slab)\n");
	options.by = "task";
	expect_leaks(f, &options, TRUE, "\"slab\": [\n{\"old_bytes\":297000,");
	expect_leaks(f, &options, TRUE, "\"tracer\": [\n]");
	options.by = "site";
	options.site = "linear";
	expect_leaks(f, &options, TRUE, "\"slab\": [\n{\"old_bytes\":297064,");
}

/* The limit counts only rows with the given pattern. */
static void pattern_filter_applies_before_the_limit(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 1,
				 .older_ns = 60 * SECOND, .shape = "sawtooth" };
	g_autofree char *text = NULL, *table = NULL, *none = NULL;

	put_shapes(f);
	load(f);
	text = check_answer(&f->store, leaks_print, &options, TRUE);
	check_has(text, "\"shape\": \"sawtooth\",\n\"slab\": [\n{\"old_bytes\":2432,");
	check_has(text, "\"shape\":\"sawtooth\",\"holder\":\"sawtooth\",\"module\":null}\n],");
	table = check_answer(&f->store, leaks_print, &options, FALSE);
	check_has(table, "Live and older than 1m, or likely leaked, with growth pattern sawtooth: slab objects");
	check_has_not(table, "plateau");
	options.shape = "steady";
	none = check_answer(&f->store, leaks_print, &options, FALSE);
	check_has(none, "freed\n\nno call site has growth pattern steady\n");
}

static void minimum_age_and_limit_select_rows(Fixture *f, gconstpointer unused)
{
	const LeaksOptions all = { .by = "site", .limit = 9, .older_ns = 0 };
	const LeaksOptions first = { .by = "site", .limit = 1,
				     .older_ns = LEAKS_NS_NONE };
	g_autofree char *text = NULL, *shorter = NULL;

	put_shapes(f);
	load(f);
	text = check_answer(&f->store, leaks_print, &all, FALSE);
	check_has(text, "Trace: t.kmt\nTrust: complete; no event was lost\n"
			"  NO STACKS were recorded: a caller is the call site, even in an allocator\n"
			"Live is not leaked: the trace ended before it was freed\n\n"
			"Live and older than 0ns, or likely leaked: slab objects and large kmallocs, by call site\n");
	check_has(text, "  under 1s  under 10s  under 1m  under 10m  over 10m  verdict  ");
	check_has(text, "       64          1          64   5.00s         0          1         0          "
			"0         0  few          late          young\n");
	shorter = check_answer(&f->store, leaks_print, &first, FALSE);
	check_has(shorter, "Live and older than 30s, or likely leaked: ");
	check_has(shorter, "  under 1s  under 1m  under 10m  over 10m  verdict      ");
	check_has(shorter, "    96.0K         96      100.0K  16m30s         1         5         "
			   "54        40  likely leak  linear  linear\n");
	check_has_not(shorter, "plateau");
}

static void site_filter_selects_one_site(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .limit = 9, .older_ns = 0, .site = "plateau" };

	put_shapes(f);
	load(f);
	for (guint i = 0; i < 3; i++) {
		g_autofree char *text = NULL;

		options.by = ((const char *const[]){ "site", "task", "module" })[i];
		text = check_answer(&f->store, leaks_print, &options, FALSE);
		check_has(text, "    16.0K         64       16.0K  16m39s        64  stopped  plateau");
		check_has(text, " keeps growing\n");
		check_has_not(text, "linear");
		check_has_not(text, "100.0K");
	}
}

/* The allocations of an interval can't grow after it, but the call site's live bytes can. */
static void interval_keeps_the_growth_pattern(Fixture *f, gconstpointer unused)
{
	Selection selection = { .from = "300s", .to = "600s" };
	LeaksOptions options = { .limit = 9, .older_ns = 0 };

	put_shapes(f);
	load(f);
	f->store.selection = &selection;
	options.by = "site";
	expect_leaks(f, &options, TRUE,
		     "{\"old_bytes\":30720,\"old_count\":30,\"live_bytes\":30720,"
		     "\"oldest_ns\":700000000000,"
		     "\"under_1s\":0,\"under_10s\":0,\"under_1m\":0,\"under_10m\":19,\"over_10m\":11,"
		     "\"doubtful\":0,\"verdict\":\"likely leak\",\"shape\":\"linear\",\"holder\":\"linear\",");
}

/* Also for all sites and tasks, where origins are not left out. */
static void interval_keeps_the_growth_pattern_of_tasks(Fixture *f, gconstpointer unused)
{
	Selection selection = { .from = "300s", .to = "600s" };
	LeaksOptions options = { .by = "task", .limit = 9,
				 .older_ns = 0, .site = "linear" };

	put_shapes(f);
	load(f);
	f->store.selection = &selection;
	expect_leaks(f, &options, TRUE,
		     "\"doubtful\":0,\"verdict\":\"likely leak\",\"shape\":\"linear\",\"holder\":\"worker-7\"}\n]");
}

/* From the innermost function outwards; 0: no more. */
static guint32 stack_of(Fixture *f, guint32 first, guint32 second, guint32 third, guint32 fourth)
{
	const guint32 offsets[] = { first, second, third, fourth };
	uint64_t addrs[4];
	guint depth = 0;

	for (; depth < 4 && offsets[depth]; depth++)
		addrs[depth] = TEXT + offsets[depth];
	return builder_stack(f->store.builder, addrs, depth);
}

static guint32 work_stack(Fixture *f)
{
	return stack_of(f, MOD_WORK, LINEAR, 0, 0);
}

/* 10 of 512 bytes, allocated over 90 s; the module frees all but 2 at its unload, at 95 s. */
static void put_module_that_goes(Fixture *f)
{
	guint32 work = work_stack(f);

	for (guint s = 1; s <= 91; s += 10) {
		guint64 addr = take_with(f, s, MOD_WORK, work, 512);

		if (s > 11)
			give(f, 95, addr);
	}
	take(f, 0, YOUNG, 8);
	take(f, 100, YOUNG, 8);
}

/* As in check. */
static double leaked_slab_older_than(Fixture *f, guint64 older_ns)
{
	guint count;
	const ExprName *all = figures_names(&count);
	g_autoptr(Expr) expr = expr_parse("leaked_slab > 0", all, count, NULL);
	g_autoptr(Figures) figures = figures_read(f->store.db, older_ns, NULL, NULL);
	double value = -1;

	g_assert_true(figures_get(figures, expr_figure(expr, 0), &value, NULL));
	return value;
}

/* What a module leaves is not the recorder's, though it allocated it there, as in its shrinker. */
static void module_leaves_memory_in_the_recorder(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 9, .older_ns = 0 };

	builder_snapshot(f->store.builder, "tasks", KMEMTRACE_PHASE_START, "77 77 kmemtrace-user\n");
	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1096000000000 0xffffffffc0001000 0x2000 mod\n");
	for (guint s = 10; s < 20; s++)
		take_by(f, s, MOD_WORK, 77, 1000);
	take_by(f, 20, LINEAR, 77, 64);
	take(f, 100, YOUNG, 8);
	load(f);
	expect_leaks(f, &options, TRUE, "\"shape\":\"orphaned\",\"holder\":\"mod_work\",");
	expect_leaks(f, &options, TRUE, "\"tracer\": [\n{\"live_bytes\":64,\"live_count\":1,");
	options.by = "cache";
	expect_leaks(f, &options, TRUE, "\"tracer\": [\n{\"live_bytes\":64,\"live_count\":1,");
	g_assert_cmpfloat(leaked_slab_older_than(f, 10 * SECOND), ==, 10000);
}

/* An interrupt's memory is not that of the recorder that it interrupted. */
static void memory_of_interrupts_is_not_the_recorders(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9, .to_ns = -1 };
	g_autofree char *grow = NULL;

	builder_snapshot(f->store.builder, "tasks", KMEMTRACE_PHASE_START, "77 77 kmemtrace-user\n");
	for (guint s = 10; s <= 1000; s += 10) {
		take_by(f, s, LINEAR, 77, 3000);
		g_array_index(f->events, struct trace_event, f->events->len - 1).context =
			s % 20 ? KMEMTRACE_CONTEXT_SOFTIRQ : KMEMTRACE_CONTEXT_HARDIRQ;
	}
	load(f);
	expect_leaks(f, &options, TRUE, "\"slab\": [\n{\"old_bytes\":297000,");
	expect_leaks(f, &options, TRUE, "\"verdict\":\"likely leak\"");
	expect_leaks(f, &options, TRUE, "\"tracer\": [\n]");
	grow = check_answer(&f->store, grow_print, &options, TRUE);
	check_has(grow, "\"grown_bytes\":3");
	g_assert_cmpfloat(leaked_slab_older_than(f, 5 * SECOND), ==, 297000);
}

static void leak_of_unloaded_module_is_orphaned(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .limit = 9, .older_ns = 0,
				 .site = "mod_work" };

	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1096000000000 0xffffffffc0001000 0x2000 mod\n");
	put_module_that_goes(f);
	load(f);
	options.by = "site";
	expect_leaks(f, &options, TRUE,
		     "{\"old_bytes\":1024,\"old_count\":2,\"live_bytes\":1024,");
	expect_leaks(f, &options, TRUE,
		     "\"shape\":\"orphaned\",\"holder\":\"mod_work\",\"module\":\"mod\"}");
	options.by = "stack";
	expect_leaks(f, &options, TRUE, "\"shape\":\"orphaned\",\"holder\":\"mod_work\",");
	options.by = "module";
	expect_leaks(f, &options, TRUE, "\"shape\":\"orphaned\",\"holder\":\"mod\"}");
	options.by = "task";	/* still runs */
	expect_leaks(f, &options, TRUE, "\"shape\":\"freed_at_end\",\"holder\":\"worker-7\"}");
	g_assert_cmpfloat(leaked_slab_older_than(f, 3600 * SECOND), ==, 1024);
}

/* Allocations from before the unload. */
static void leak_of_reloaded_module_is_orphaned(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9,
				       .older_ns = 0 };

	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1096000000000 0xffffffffc0001000 0x2000 mod\n"
			 "1097000000000 0 0xffffffffc0001000 0x2000 mod\n");
	put_module_that_goes(f);
	take_with(f, 98, MOD_WORK, work_stack(f), 256);
	load(f);
	expect_leaks(f, &options, TRUE,
		     "\"shape\":\"orphaned\",\"holder\":\"mod_work\",\"module\":\"mod\"}");
	g_assert_cmpfloat(leaked_slab_older_than(f, 3600 * SECOND), ==, 1024);
}

/* Its later allocations are in use. */
static void module_that_left_nothing_is_not_orphaned(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9,
				       .older_ns = 0 };

	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1000500000000 0xffffffffc0001000 0x2000 mod\n"
			 "1000600000000 0 0xffffffffc0001000 0x2000 mod\n");
	put_module_that_goes(f);
	load(f);
	expect_leaks(f, &options, TRUE,
		     "\"shape\":\"freed_at_end\",\"holder\":\"mod_work\",\"module\":\"mod\"}");
	g_assert_cmpfloat(leaked_slab_older_than(f, 3600 * SECOND), ==, 0);
}

/* @inner: a function that the module calls. */
static guint32 work_stack_below(Fixture *f, guint32 inner)
{
	return stack_of(f, inner, MOD_WORK, LINEAR, 0);
}

/* By the module's call of the function at @site. */
static void map_area(Fixture *f, guint64 s, guint32 site, guint32 pages)
{
	put(f, KMEMTRACE_EVENT_VMAP_ALLOC, s, (BASE + s) << 8, site, work_stack_below(f, site),
	    pages * 4096);
}

/*
 * An object for an area of vmalloc space is freed later, and the vector of a slab with the slab. A
 * cache of the module's that is merged with that of areas is its own, as is an area.
 */
static void module_leaves_what_the_kernel_keeps(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9,
				       .older_ns = 0 };

	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1096000000000 0xffffffffc0001000 0x2000 mod\n");
	builder_snapshot(f->store.builder, "caches", KMEMTRACE_PHASE_END, "1 72 vmap_area\n");
	take_with(f, 1, VMAP_AREA, work_stack_below(f, VMAP_AREA), 72);
	take_with(f, 2, OBJ_EXTS, work_stack_below(f, OBJ_EXTS), 128);
	take_with(f, 3, MAP_RAM, work_stack_below(f, MAP_RAM), 192);
	map_area(f, 4, MAP_RAM, 256);
	/* no object of a block */
	take_with(f, 4, YOUNG, stack_of(f, YOUNG, MAP_RAM, MOD_WORK, LINEAR), 64);
	take_with(f, 5, CHUNK, work_stack_below(f, CHUNK), 512);
	take_with(f, 6, SHEAF, work_stack_below(f, SHEAF), 512);
	put(f, KMEMTRACE_EVENT_PAGE_ALLOC, 7, 77, PAGE_TABLE, work_stack_below(f, PAGE_TABLE), 0);
	take(f, 100, YOUNG, 8);
	load(f);
	check_sql(f->store.db, "SELECT function, kind FROM kernel_origins JOIN origin o ON o.id = origin "
		  "JOIN event e ON e.id = o.event JOIN frame f ON f.id = caller WHERE module IS NULL",
		  "young|slab\n__pcs_replace_full_main|slab\n__vmap_pages_range_noflush|page");
	check_sql(f->store.db, "SELECT kind, live_count FROM call_sites WHERE module = 'mod' ORDER BY 1 DESC",
		  "vmalloc|1\nslab|4");
	expect_leaks(f, &options, TRUE, "\"holder\":\"mod_work\",\"module\":\"mod\"}");
	g_assert_cmpfloat(leaked_slab_older_than(f, 10 * SECOND), ==, 0);
	check_sql(f->store.db, "SELECT count(*) FROM orphan_origins", "0");
}

/* The call site alone shows what they are. */
static void kernel_owned_memory_is_known_without_stacks(Fixture *f, gconstpointer unused)
{
	take(f, 1, VMAP_AREA, 72);
	take(f, 2, OBJ_EXTS, 128);
	take(f, 3, MOD_WORK, 64);
	take(f, 100, YOUNG, 8);
	load(f);
	check_sql(f->store.db, "SELECT bytes_alloc, of_area FROM kernel_origin JOIN origin ON id = origin", "72|1\n128|0");
}

static void module_leaves_its_own(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1096000000000 0xffffffffc0001000 0x2000 mod\n");
	builder_snapshot(f->store.builder, "caches", KMEMTRACE_PHASE_END, "1 72 vmap_area\n");
	take_with(f, 1, MOD_WORK, work_stack(f), 72);
	g_array_index(f->events, struct trace_event, f->events->len - 1).cache = 1;
	map_area(f, 4, VMAP_AREA, 1);
	map_area(f, 5, MAP_RAM, 100);
	/* by a constructor of its cache */
	take_with(f, 6, MOD_WORK, stack_of(f, MOD_WORK, SHEAF, LINEAR, 0), 40);
	/* by others, as a slab's vector needs memory */
	take_with(f, 7, YOUNG, stack_of(f, YOUNG, SHRINK, OBJ_EXTS, MOD_WORK), 8);
	take(f, 100, YOUNG, 8);
	load(f);
	g_assert_cmpfloat(leaked_slab_older_than(f, 10 * SECOND), ==, 72 + 40 + 8);
	check_sql(f->store.db, "SELECT count(*) FROM orphan_origins", "4");
	check_sql(f->store.db, "SELECT count(*) FROM kernel_origin JOIN origin ON id = origin WHERE bytes_alloc = 8", "0");
}

/* A block of 256 pages, with its object if @object, and another caller's area of @pages. */
static void check_orphaned_areas(Fixture *f, gboolean object, guint32 pages, const char *orphans)
{
	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1096000000000 0xffffffffc0001000 0x2000 mod\n");
	if (object)
		take_with(f, 3, MAP_RAM, work_stack_below(f, MAP_RAM), 192);
	map_area(f, 4, MAP_RAM, 256);
	put(f, KMEMTRACE_EVENT_VMAP_ALLOC, 5, (BASE + 5) << 8, MAP_RAM,
	    stack_of(f, MAP_RAM, MOD_EXIT, LINEAR, 0), pages * 4096);
	take(f, 100, YOUNG, 8);
	load(f);
	check_sql(f->store.db, "SELECT bytes_alloc / 4096 FROM orphan_origins JOIN origin ON id = origin", orphans);
}

static void area_beside_a_block_is_orphaned(Fixture *f, gconstpointer unused)
{
	check_orphaned_areas(f, TRUE, 768, "768");
}

static void area_of_a_blocks_possible_size_is_orphaned(Fixture *f, gconstpointer unused)
{
	check_orphaned_areas(f, TRUE, 512, "512");
}

/* Which of the two the object is of can't be known. */
static void area_of_a_blocks_size_is_orphaned_with_it(Fixture *f, gconstpointer unused)
{
	check_orphaned_areas(f, TRUE, 256, "256\n256");
}

/* One that was unmapped does not count. */
static void block_beside_an_unmapped_area_is_known(Fixture *f, gconstpointer unused)
{
	map_area(f, 2, MAP_RAM, 256);
	put(f, KMEMTRACE_EVENT_VMAP_FREE, 3, (BASE + 2) << 8, MAP_RAM, 0, 256 * 4096);
	check_orphaned_areas(f, TRUE, 768, "768");
}

static void block_without_traced_objects_is_known_by_its_size(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_START, "page vmalloc\n");
	check_orphaned_areas(f, FALSE, 768, "768");
}

/* Each CPU keeps no more than one. */
static void areas_without_traced_objects_are_no_blocks(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_START, "page vmalloc\n");
	for (guint s = 6; s < 10; s++)
		map_area(f, s, MAP_RAM, 256);
	check_orphaned_areas(f, FALSE, 768, "256\n768");
}

/* Slab pages are in no table; the option "by" determines the groups. */
static void kinds_have_separate_tables(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .limit = 9, .older_ns = 0 };
	guint32 work = work_stack(f);
	g_autofree char *tasks = NULL;

	take(f, 1, LINEAR, 64);
	take_with(f, 2, MOD_WORK, work, 32);
	put(f, KMEMTRACE_EVENT_PERCPU_ALLOC, 3, 0x1000, LINEAR, 0, 96);
	put(f, KMEMTRACE_EVENT_VMAP_ALLOC, 4, BASE + 1, LINEAR, 0, 8192);
	put(f, KMEMTRACE_EVENT_PAGE_ALLOC, 5, 0x100, LINEAR, 0, 4096);
	take(f, 9, YOUNG, 8);
	load(f);
	options.by = "stack";
	expect_leaks(f, &options, TRUE, "\"holder\":\"mod_work\",\"module\":\"mod\","
					"\"stack\":\"mod_work+0x10 [mod] < linear+0x10\"}");
	options.by = "module";
	expect_leaks(f, &options, TRUE, "{\"old_bytes\":32,\"old_count\":1,\"live_bytes\":32,");
	expect_leaks(f, &options, TRUE, "\"shape\":\"plateau\",\"holder\":\"(kernel)\"},\n{\"old_bytes\":32,");
	expect_leaks(f, &options, TRUE, "\"shape\":\"plateau\",\"holder\":\"mod\"}\n]");
	options.by = "cache";
	expect_leaks(f, &options, TRUE, "\"slab\": [\n{\"old_bytes\":96,\"old_count\":2,\"live_bytes\":104,");
	options.by = "task";
	tasks = check_answer(&f->store, leaks_print, &options, TRUE);
	check_has(tasks, "\"slab\": [\n{\"old_bytes\":96,\"old_count\":2,\"live_bytes\":104,");
	check_has(tasks, "\"page\": [\n{\"old_bytes\":4096,\"old_count\":1,");
	check_has(tasks, "\"percpu\": [\n{\"old_bytes\":96,\"old_count\":1,");
	check_has(tasks, "\"vmalloc\": [\n{\"old_bytes\":8192,\"old_count\":1,");
	check_has(tasks, "\"shape\":\"plateau\",\"holder\":\"worker-7\"}\n]");
}

/* Memory that was live while events were lost may have been freed then. */
static void leaks_before_a_loss_are_doubtful(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 9, .older_ns = 0 };
	g_autofree char *text = NULL;

	take(f, 1, LINEAR, 64);
	take(f, 2, LINEAR, 64);
	write_events(f);
	builder_flush(f->store.builder, 0);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 5);
	take(f, 3, YOUNG, 8);
	take(f, 4, LINEAR, 64);
	take(f, 9, YOUNG, 8);
	load(f);
	expect_leaks(f, &options, TRUE, "\"trust\": [\n{\"lost_events\":5,");
	expect_leaks(f, &options, TRUE, "{\"old_bytes\":192,\"old_count\":3,\"live_bytes\":192,\"oldest_ns\":"
					"8000000000,\"under_1s\":0,\"under_10s\":3,\"under_1m\":0,"
					"\"under_10m\":0,\"over_10m\":0,\"doubtful\":2,");
	g_assert_true(f->store.incomplete);
	text = check_answer(&f->store, leaks_print, &options, FALSE);
	check_has(text, "Trust: INCOMPLETE: 5 events were lost: live memory may have been freed unseen\n"
			"  NO STACKS were recorded: a caller is the call site, even in an allocator\nLive is not leaked: ");
}

static void sampled_leaks_are_scaled(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 9, .older_ns = 0 };

	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START, "sample 16\n");
	take(f, 1, LINEAR, 64);
	take(f, 9, YOUNG, 8);
	load(f);
	expect_leaks(f, &options, TRUE, "{\"old_bytes\":1024,\"old_count\":16,\"live_bytes\":1024,\"oldest_ns\":"
					"8000000000,\"under_1s\":0,\"under_10s\":16,");
	expect_leaks(f, &options, FALSE, "\n  1 in 16 SAMPLED: counts and bytes below are scaled by 16");
}

static void trace_without_leaks_ends_with_a_sentence(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9,
				       .older_ns = LEAKS_NS_NONE };

	give(f, 1, take(f, 0, LINEAR, 64));
	load(f);
	expect_leaks(f, &options, FALSE, "freed\n\nno call site has live memory older than 500ms\n"
					"\nno call site keeps growing\n");
}

/* ---- grow ---- */

static void grow_equals_the_known_growth(Fixture *f, gconstpointer unused)
{
	LeaksOptions options = { .by = "site", .limit = 2,
				 .from_ns = 10 * SECOND, .to_ns = 500 * SECOND };
	g_autofree char *text = NULL, *later = NULL;

	put_shapes(f);
	load(f);
	text = check_answer(&f->store, grow_print, &options, TRUE);
	check_has(text, "\"from_ns\": 10000000000,\n\"to_ns\": 500000000000,\n\"slab\": [\n"
			"{\"grown_bytes\":50176,\"grown_count\":49,\"from_bytes\":1024,\"from_count\":1,"
			"\"to_bytes\":51200,\"to_count\":50,\"end_bytes\":102400,\"shape\":\"linear\","
			"\"holder\":\"linear\",\"module\":null},\n"
			"{\"grown_bytes\":25088,\"grown_count\":49,\"from_bytes\":512,\"from_count\":1,"
			"\"to_bytes\":25600,\"to_count\":50,\"end_bytes\":1024,\"shape\":\"linear\","
			"\"holder\":\"at_end\",\"module\":null}\n],\n");
	options.limit = 9;
	options.from_ns = 64 * SECOND;
	later = check_answer(&f->store, grow_print, &options, TRUE);
	check_has_not(later, "plateau");
	options.from_ns = LEAKS_NS_NONE;
	options.to_ns = 200 * SECOND;
	g_free(later);
	later = check_answer(&f->store, grow_print, &options, TRUE);
	check_has(later, "{\"grown_bytes\":16384,\"grown_count\":64,\"from_bytes\":0,\"from_count\":0,"
			 "\"to_bytes\":16384,\"to_count\":64,\"end_bytes\":16384,\"shape\":\"plateau\","
			 "\"holder\":\"plateau\",");
}

/* Memory freed between the two times is negative growth. */
static void grow_leaves_out_shrunk_groups(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "stack", .limit = 9,
				       .from_ns = 5 * SECOND, .to_ns = LEAKS_NS_NONE };
	g_autofree char *text = NULL;

	give(f, 6, take(f, 1, LINEAR, 64));
	take(f, 9, YOUNG, 8);
	load(f);
	text = check_answer(&f->store, grow_print, &options, TRUE);
	check_has(text, "{\"grown_bytes\":8,\"grown_count\":1,\"from_bytes\":0,\"from_count\":0,\"to_bytes\":8,"
			"\"to_count\":1,\"end_bytes\":8,\"shape\":\"late\",\"holder\":\"young\",");
	check_has_not(text, "linear");
}

static void expect_no_growth(Fixture *f, gint64 from_ns, gint64 to_ns, const char *expected)
{
	const LeaksOptions options = { .by = "site", .limit = 9, .from_ns = from_ns, .to_ns = to_ns };
	g_autoptr(GError) error = NULL;
	g_autofree char *text =
		check_answer_error(&f->store, grow_print, &options, FALSE, &error);

	g_assert_nonnull(error);
	g_assert_cmpstr(error->message, ==, expected);
	check_has_not(text, "Live is not leaked");
}

static void grow_rejects_invalid_times(Fixture *f, gconstpointer unused)
{
	take(f, 9, YOUNG, 8);
	load(f);
	expect_no_growth(f, 5 * SECOND, 4 * SECOND,
			 "--to 4s must be later than --from 5s; the trace has 9.00s");
	expect_no_growth(f, 5 * SECOND, 10 * SECOND,
			 "10s is after the end of the trace, which has 9.00s");
}

/* ---- module ---- */

/* mod is loaded at 10 s, next at 20 s; mod is unloaded at 50 s. */
static void put_module(Fixture *f)
{
	guint32 init = stack_of(f, MOD_WORK, INIT_TEXT, INITCALL, INIT_MODULE);
	guint32 bare_init = stack_of(f, INIT_TEXT, INITCALL, INIT_MODULE, 0);
	guint32 work = stack_of(f, MOD_WORK, LINEAR, 0, 0);
	guint32 below = stack_of(f, YOUNG, MOD_WORK, LINEAR, 0);
	guint32 other = stack_of(f, YOUNG, LINEAR, 0, 0);
	guint32 exit_stack = stack_of(f, MOD_EXIT, DELETE_MODULE, 0, 0);
	guint32 tail = stack_of(f, YOUNG, DELETE_MODULE, 0, 0);	/* of an exit function */
	guint32 direct = stack_of(f, DELETE_MODULE, 0, 0, 0);
	guint64 addr;

	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1045000000000 0xffffffffc0020000 0x1000 other\n"
			 "1010000000000 1050000000000 0xffffffffc0001000 0x2000 mod\n"
			 "1020000000000 0 0xffffffffc0010000 0x1000 next\n");
	take_with(f, 5, INIT_TEXT, bare_init, 8);	/* of a module loaded before the trace */
	addr = take_with(f, 11, MOD_WORK, init, 128);
	put(f, KMEMTRACE_EVENT_KFREE, 49, addr, MOD_EXIT, exit_stack, 0);
	take_with(f, 12, INIT_TEXT, bare_init, 64);	/* never freed */
	take_with(f, 21, INIT_TEXT, bare_init, 8);	/* of next */
	addr = take_with(f, 30, MOD_WORK, work, 256);
	put(f, KMEMTRACE_EVENT_KFREE, 31, addr, MOD_WORK, work, 0);
	take_with(f, 32, MOD_WORK, work, 256);	/* never freed */
	take_with(f, 33, YOUNG, other, 16);	/* the kernel's own */
	addr = take_with(f, 34, YOUNG, below, 32);
	give(f, 55, addr);	/* after the unload */
	addr = take_with(f, 36, MOD_WORK, work, 256);
	put(f, KMEMTRACE_EVENT_KFREE, 44, addr, YOUNG, tail, 0);	/* by the other module */
	addr = take_with(f, 37, MOD_WORK, work, 512);
	put(f, KMEMTRACE_EVENT_KFREE, 49, addr, YOUNG, tail, 0);
	addr = take_with(f, 38, MOD_WORK, work, 1024);
	put(f, KMEMTRACE_EVENT_KFREE, 49, addr, DELETE_MODULE, direct, 0);
	put(f, KMEMTRACE_EVENT_PAGE_ALLOC, 35, 0x100, MOD_WORK, work, 4096);
	take(f, 60, YOUNG, 8);
}

static char *module_answer(Fixture *f, const char *name, gboolean json, GError **error)
{
	const ModuleOptions options = { .module = name, .limit = 9 };

	return check_answer_error(&f->store, module_print, &options, json, error);
}

static void module_has_init_and_unload_figures(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autofree char *text = NULL;

	put_module(f);
	load(f);
	text = module_answer(f, "mod", TRUE, &error);
	g_assert_no_error(error);
	check_has(text, "\"module\": \"mod\",\n\"times\": [\n{\"load_ns\":10000000000,\"unload_ns\":50000000000}\n]");
	check_has(text, "\"kinds\": [\n{\"kind\":\"slab\",\"init_bytes\":192,\"init_count\":2,\"later_bytes\":2336,"
			"\"later_count\":6,\"freed_bytes\":512,\"freed_count\":2,\"unload_bytes\":1696,"
			"\"unload_count\":4,\"left_bytes\":320,\"left_count\":2},\n"
			"{\"kind\":\"page\",\"init_bytes\":0,\"init_count\":0,\"later_bytes\":4096,"
			"\"later_count\":1,\"freed_bytes\":0,\"freed_count\":0,\"unload_bytes\":0,"
			"\"unload_count\":0,\"left_bytes\":4096,\"left_count\":1}\n]");
	check_has(text, "\"slab\": [\n{\"init_bytes\":128,\"init_count\":1,\"later_bytes\":2304,\"later_count\":5,"
			"\"freed_bytes\":512,\"freed_count\":2,\"unload_bytes\":1664,\"unload_count\":3,"
			"\"left_bytes\":256,\"left_count\":1,\"caller\":\"mod_work\",\"module\":\"mod\"},\n"
			"{\"init_bytes\":64,\"init_count\":1,\"later_bytes\":0,\"later_count\":0,\"freed_bytes\":0,"
			"\"freed_count\":0,\"unload_bytes\":0,\"unload_count\":0,\"left_bytes\":64,\"left_count\":1,");
	check_has(text, "\"left_bytes\":0,\"left_count\":0,\"caller\":\"young\",\"module\":null}\n]");
	check_has(text, "\"percpu\": [\n]");
}

static void module_shows_load_times(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autofree char *text = NULL, *next = NULL, *none = NULL;

	put_module(f);
	load(f);
	text = module_answer(f, "mod", FALSE, &error);
	g_assert_no_error(error);
	check_has(text, "Module: mod\n  loaded at 10.00s, unloaded at 50.00s\nLive is not leaked: ");
	check_has_not(text, "Per-CPU");
	next = module_answer(f, "next", FALSE, &error);
	g_assert_no_error(error);
	check_has(next, "  loaded at 20.00s, still loaded at the end\n");
	check_has(next, "slab           8           1            0            0            0            0"
			"             0             0           8           1\n");
	none = module_answer(f, "nexd", FALSE, &error);
	g_assert_cmpstr(error->message, ==, "the trace has no module 'nexd': the closest is next");
	g_assert_cmpstr(none, ==, "");
	g_clear_error(&error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/leaks/" #test, Fixture, NULL, setup, test, teardown)
	ADD(leaks_have_their_growth_pattern);
	ADD(memory_of_the_tracer_is_no_suspect);
	ADD(memory_of_the_recorder_is_no_suspect);
	ADD(memory_of_interrupts_is_not_the_recorders);
	ADD(module_leaves_memory_in_the_recorder);
	ADD(pattern_filter_applies_before_the_limit);
	ADD(minimum_age_and_limit_select_rows);
	ADD(site_filter_selects_one_site);
	ADD(interval_keeps_the_growth_pattern);
	ADD(interval_keeps_the_growth_pattern_of_tasks);
	ADD(leak_of_unloaded_module_is_orphaned);
	ADD(leak_of_reloaded_module_is_orphaned);
	ADD(module_that_left_nothing_is_not_orphaned);
	ADD(module_leaves_what_the_kernel_keeps);
	ADD(kernel_owned_memory_is_known_without_stacks);
	ADD(module_leaves_its_own);
	ADD(area_beside_a_block_is_orphaned);
	ADD(area_of_a_blocks_possible_size_is_orphaned);
	ADD(area_of_a_blocks_size_is_orphaned_with_it);
	ADD(block_beside_an_unmapped_area_is_known);
	ADD(block_without_traced_objects_is_known_by_its_size);
	ADD(areas_without_traced_objects_are_no_blocks);
	ADD(kinds_have_separate_tables);
	ADD(leaks_before_a_loss_are_doubtful);
	ADD(sampled_leaks_are_scaled);
	ADD(trace_without_leaks_ends_with_a_sentence);
	ADD(grow_equals_the_known_growth);
	ADD(grow_leaves_out_shrunk_groups);
	ADD(grow_rejects_invalid_times);
	ADD(module_has_init_and_unload_figures);
	ADD(module_shows_load_times);
	return g_test_run();
}
