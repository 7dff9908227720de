// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups by task are processes, groups by thread are threads, in each report. */
#include <glib.h>

#include "base/compare.h"
#include "report/diff/diff.h"
#include "report/leaks/leaks.h"
#include "report/lifetimes/lifetimes.h"
#include "report/live/live.h"
#include "output-check.h"
#include "store-check.h"

#define START	G_GUINT64_CONSTANT(1000000000)
#define SECOND	G_GUINT64_CONSTANT(1000000000)

/*
 * Process 7 was sh and is now server, with a thread called pool; 9 is a thread of a process of
 * which only the number is known. Process 12 is db, was tmp in between, and its worker appears
 * first. The main thread of process 20 does nothing.
 */
static const char tasks[] = "9 4 lone\n20 20 idle\n";

typedef struct {
	struct check_store store;
	guint64 next;		/* object */
} Fixture;

static void take(Fixture *f, guint32 tid, guint64 s)
{
	struct trace_event event = {
		.event = KMEMTRACE_EVENT_KMALLOC, .time_ns = START + s * SECOND,
		.addr = BASE + 64 * f->next++, .call_site = TEXT + 0x1010, .bytes_req = 64,
		.bytes_alloc = 64, .tid = tid, .node = KMEMTRACE_NODE_ANY,
	};

	builder_event(f->store.builder, 0, event);
	/* Each also has one that is freed. */
	event.addr += BASE;
	event.time_ns += 1000;
	builder_event(f->store.builder, 0, event);
	event.event = KMEMTRACE_EVENT_KFREE;
	event.time_ns += 1000;
	builder_event(f->store.builder, 0, event);
}

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START,
			 "ffffffff81001000 T reader\nffffffff81004000 T _etext\n");
	builder_snapshot(f->store.builder, "tasks", KMEMTRACE_PHASE_START, tasks);
	builder_task(f->store.builder, 0, START, 7, 7, "sh");
	take(f, 7, 1);
	builder_task(f->store.builder, 0, START + 2 * SECOND, 7, 7, "server");
	take(f, 7, 3);
	builder_task(f->store.builder, 0, START + 4 * SECOND, 8, 7, "pool");
	take(f, 8, 5);
	take(f, 9, 6);
	builder_task(f->store.builder, 0, START + 7 * SECOND, 13, 12, "worker");
	take(f, 13, 8);
	builder_task(f->store.builder, 0, START + 9 * SECOND, 12, 12, "db");
	take(f, 12, 10);
	builder_task(f->store.builder, 0, START + 11 * SECOND, 12, 12, "tmp");
	take(f, 12, 12);
	builder_task(f->store.builder, 0, START + 13 * SECOND, 12, 12, "db");
	take(f, 12, 14);
	builder_task(f->store.builder, 0, START + 15 * SECOND, 21, 20, "busy");
	take(f, 21, 16);
	take(f, 9, 100);
	check_store_load(&f->store);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* "name number" of each row, sorted by name. */
static void expect_groups(char *json, const char *name, const char *number, const char *expected)
{
	g_autofree char *pattern = g_strdup_printf("\\{[^{}]*\"%s\":([0-9]+)[^{}]*\"%s\":\"([^\"]*)\"",
						   number, name);
	g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = NULL;

	for (g_regex_match(regex, json, 0, &match); g_match_info_matches(match);
	     g_match_info_next(match, NULL)) {
		g_autofree char *count = g_match_info_fetch(match, 1);
		g_autofree char *who = g_match_info_fetch(match, 2);

		g_ptr_array_add(found, g_strdup_printf("%s %s", who, count));
	}
	g_ptr_array_sort(found, compare_texts);
	g_ptr_array_add(found, NULL);
	text = g_strjoinv(", ", (char **)found->pdata);
	if (strcmp(text, expected))
		g_error("'%s', expected '%s' in %s", text, expected, json);
	free(json);
}

static const struct {
	const char *by, *expected;
} cases[] = {
	{ "task", "db-12 3, idle-20 1, lone-4 2, server-7 2, sh-7 1, tmp-12 1" },
	{ "thread", "busy-21 1, db-12 2, lone-9 2, pool-8 1, server-7 1, sh-7 1, tmp-12 1, worker-13 1" },
};

static void leaks_and_grow_group_by_task_and_thread(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		LeaksOptions options = { .by = cases[i].by, .limit = 9, .to_ns = -1 };

		expect_groups(check_answer(&f->store, leaks_print, &options, TRUE), "holder",
			      "old_count", cases[i].expected);
		expect_groups(check_answer(&f->store, grow_print, &options, TRUE), "holder",
			      "grown_count", cases[i].expected);
	}
}

static void live_and_lifetimes_group_by_task_and_thread(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		LiveOptions memory = { .by = cases[i].by, .site = "", .limit = 9, .at_ns = -1 };
		LifetimesOptions lives = { .by = cases[i].by, .site = "", .limit = 9 };

		expect_groups(check_answer(&f->store, live_print_live, &memory, TRUE), "name",
			      "live_count", cases[i].expected);
		expect_groups(check_answer(&f->store, lifetimes_print, &lives, TRUE), "name", "freed",
			      cases[i].expected);
	}
}

static void diff_groups_by_name_only(Fixture *f, gconstpointer unused)
{
	static const char *const expected[] = { "db, idle, lone, server, sh, tmp",
							  "busy, db, lone, pool, server, sh, tmp, worker" };

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const DiffOptions options = { .names = { "a", "b" }, .by = DIFF_BY_TASK + i,
					      .limit = 9, .json = TRUE,
					      .conditions = &(Conditions){ 0 } };
		StoreDb *const dbs[] = { f->store.db, f->store.db };
		g_auto(GStrv) names = g_strsplit(expected[i], ", ", -1);
		ConditionResult result;
		g_autofree char *text = CHECK_OUTPUT(
			diff_print(dbs, &options, out, &result, &error));

		for (guint j = 0; names[j]; j++) {
			g_autofree char *name = g_strdup_printf("\"%s\"", names[j]);

			check_has(text, name);
		}
		g_assert_cmpint(!strstr(text, "\"pool\""), ==, !i);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/tasks/" #test, Fixture, NULL, setup, test, teardown)
	ADD(leaks_and_grow_group_by_task_and_thread);
	ADD(live_and_lifetimes_group_by_task_and_thread);
	ADD(diff_groups_by_name_only);
	return g_test_run();
}
