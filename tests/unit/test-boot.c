// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace of a boot, with a clock that doesn't advance at first: the boot steps stay in order. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "report/summary/report.h"
#include "output-check.h"
#include "store-check.h"

#define MS	G_GUINT64_CONSTANT(1000000)

static const char kallsyms[] = "ffffffff81001000 T start_kernel\n"
			       "ffffffff81002000 T z_first\n"
			       "ffffffff81003000 T a_second\n"
			       "ffffffff81004000 T m_third\n"
			       "ffffffff81005000 T do_one_initcall\n"
			       "ffffffff81007000 t kernel_init_freeable\n"
			       "ffffffff81008000 t async_run_entry_fn\n"
			       "ffffffff81008800 T late\n"
			       "ffffffff81009000 T _etext\n";

enum { START_KERNEL = 0x1010, FIRST = 0x2010, SECOND = 0x3010, THIRD = 0x4010, INITCALL = 0x5010,
       INIT = 0x7010, ASYNC = 0x8010, LATE = 0x8810 };

typedef struct {
	struct check_store store;
	guint64 next;		/* object */
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START, "page_size 4096\n");
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

static guint64 take(Fixture *f, guint64 ns, guint32 step, guint32 by, guint64 site, guint32 bytes)
{
	const uint64_t addrs[] = { TEXT + site, TEXT + step, TEXT + by };
	guint32 stack = builder_stack(f->store.builder, addrs, G_N_ELEMENTS(addrs));
	guint64 addr = BASE + ++f->next * 4096;

	builder_event(f->store.builder, 0,
		      (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC,
					    .time_ns = ns,
					    .addr = addr,
					    .call_site = TEXT + site,
					    .bytes_req = bytes,
					    .bytes_alloc = bytes,
					    .node = KMEMTRACE_NODE_ANY,
					    .stack_id = stack });
	return addr;
}

/* The number of a step, its name, its caller, and its slab objects. */
static void expect_steps(Fixture *f, const char *limit, const char *expected)
{
	const char *const params[] = { ":lines", limit, NULL };
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;
	g_autoptr(StoreRows) rows = store_query_named(f->store.db, "query_boot", params, &error);

	while (store_rows_next(rows)) {
		for (int i = 0; i < 5; i++)
			g_string_append_printf(text, "%s%c", store_rows_text(rows, i), i < 4 ? '|' : '\n');
	}
	g_assert_no_error(error);
	g_assert_cmpstr(text->str, ==, expected);
}

static void largest_boot_steps_come_first(Fixture *f, gconstpointer unused)
{
	guint64 freed = take(f, MS, FIRST, START_KERNEL, 0x9000, 64);

	take(f, MS, SECOND, START_KERNEL, 0x9000, 32);
	take(f, MS, THIRD, INITCALL, 0x9000, 4096);
	take(f, MS, FIRST, START_KERNEL, 0x9000, 64);
	take(f, MS, SECOND, INIT, 0x9000, 16);
	take(f, MS, LATE, ASYNC, 0x9000, 8);
	builder_kfree(f->store.builder, 0, 2 * MS, 0, freed);
	check_store_load(&f->store);
	expect_steps(f, "200", "3|m_third|initcall|1|4096\n1|z_first|start_kernel|2|128\n"
			       "2|a_second|start_kernel|1|32\n4|a_second|kernel_init_freeable|1|16\n"
			       "5|late|async|1|8\n");
	expect_steps(f, "2", "3|m_third|initcall|1|4096\n1|z_first|start_kernel|2|128\n");
}

/* The first idle task always has start_kernel() on its stack, and modules have initcalls. */
static void steps_need_a_boot(Fixture *f, gconstpointer unused)
{
	take(f, MS, FIRST, START_KERNEL, 0x9000, 64);
	take(f, MS, THIRD, INITCALL, 0x9000, 4096);
	check_store_load(&f->store);
	expect_steps(f, "200", "");
}

/* The lines of the report with "the clock". */
static char *clock_line(Fixture *f)
{
	const ReportOptions options = { .name = "t.kmt", .limit = 9, .site = "" };
	g_auto(GStrv) lines = NULL;
	gboolean incomplete;
	g_autofree char *text = CHECK_OUTPUT(
		report_print(f->store.db, &options, out, &incomplete, &error));

	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		if (strstr(lines[i], "the clock"))
			return g_strdup(lines[i]);
	}
	return NULL;
}

/* @sites calls from different call sites, all at once. */
static void tick(Fixture *f, guint64 ns, guint sites)
{
	for (guint i = 0; i < sites; i++)
		take(f, ns, FIRST, START_KERNEL, 0x9000 + i * 16, 64);
}

static void report_warns_of_coarse_clock(Fixture *f, gconstpointer unused)
{
	g_autofree char *line = NULL;

	tick(f, 1, 40);
	tick(f, 20 * MS, 40);
	tick(f, 24 * MS, 40);
	tick(f, 1024 * MS, 3);
	check_store_load(&f->store);
	line = clock_line(f);
	g_assert_cmpstr(line, ==,
			"  the clock went in steps of 4.0ms until 1.02s: earlier times and lifetimes are as coarse");
}

static void report_warns_of_stopped_clock(Fixture *f, gconstpointer unused)
{
	g_autofree char *line = NULL;

	tick(f, MS, 40);
	tick(f, 501 * MS, 3);
	check_store_load(&f->store);
	line = clock_line(f);
	g_assert_cmpstr(line, ==,
			"  the clock stood still until 500.0ms: earlier times and lifetimes are unknown");
}

/* Many objects of one call also have the same time. */
static void bulk_calls_are_no_coarse_clock(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < 100; i++)
		take(f, MS, FIRST, START_KERNEL, 0x9000, 64);
	take(f, 2 * MS, FIRST, START_KERNEL, 0x9000, 64);
	check_store_load(&f->store);
	g_assert_null(clock_line(f));
}

/* By CPU, they are counted by time; by kind, they are those of the trace. */
static void temporaries_of_coarse_clock_are_inexact(Fixture *f, gconstpointer unused)
{
	const char *const by_cpu[] = { ":cpu_least", "0", ":cpu_most", "0", NULL };
	const char *const by_kind[] = { ":kind", "slab", NULL };
	GError *error = NULL;

	if (g_test_subprocess()) {
		tick(f, 1, 40);
		tick(f, 20 * MS, 40);
		tick(f, 24 * MS, 40);
		tick(f, 1024 * MS, 3);
		check_store_load(&f->store);
		g_printerr("by kind\n");
		g_assert_true(store_restrict(f->store.db, by_kind, &error));
		g_assert_true(store_restrict_temporaries(f->store.db, &error));
		store_close(f->store.db);
		f->store.db = store_open(f->store.db_path, &error);
		g_printerr("by CPU\n");
		g_assert_true(store_restrict(f->store.db, by_cpu, &error));
		g_assert_true(store_restrict_temporaries(f->store.db, &error));
		return;
	}
	check_store_load(&f->store);
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("*by kind\nby CPU\n*: the clock went in steps until 1.02s: "
				  "temporary allocations of this selection are inexact until then\n*");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/boot/" #test, Fixture, NULL, setup, test, teardown)
	ADD(largest_boot_steps_come_first);
	ADD(steps_need_a_boot);
	ADD(report_warns_of_coarse_clock);
	ADD(report_warns_of_stopped_clock);
	ADD(bulk_calls_are_no_coarse_clock);
	ADD(temporaries_of_coarse_clock_are_inexact);
	return g_test_run();
}
