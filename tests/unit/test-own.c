// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of the tracer and its recorder is marked, and never a leak. */
#include <glib.h>
#include <string.h>

#include "report/check/check.h"
#include "store/query/temp_table.h"
#include "output-check.h"
#include "store-check.h"

#define SECOND	G_GUINT64_CONSTANT(1000000000)

static const char kallsyms[] = "ffffffff81001000 T relay_open_buf\n"
			       "ffffffff81002000 T shared\n"
			       "ffffffff81003000 T worker\n"
			       "ffffffff81004000 t kmt_init\n"
			       "ffffffff81005000 T _etext\n"
			       "ffffffffc0001000 t kmt_chan_open\t[kmemtrace]\n";

enum {
	RELAY = 0x1010,
	SHARED = 0x2010,
	WORKER = 0x3010,
	BUILT_IN = 0x4010,
	CHAN_OPEN = 0x3f001010
};

typedef struct {
	struct check_store store;
	guint64 now, next;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	f->now = SECOND;
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START, "page_size 4096");
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* @outer: 0: none */
static void take(Fixture *f, guint32 tid, guint64 inner, guint64 outer, guint32 bytes)
{
	const uint64_t addrs[] = { TEXT + inner, TEXT + outer };
	guint32 stack = builder_stack(f->store.builder, addrs, outer ? 2 : 1);

	builder_event(f->store.builder, 0,
		      (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC,
					    .time_ns = f->now += 1000,
					    .addr = BASE + ++f->next * 4096,
					    .call_site = TEXT + inner,
					    .bytes_req = bytes,
					    .bytes_alloc = bytes,
					    .tid = tid,
					    .node = KMEMTRACE_NODE_ANY,
					    .stack_id = stack });
}

static void task(Fixture *f, guint32 tid, guint32 tgid, const char *comm)
{
	builder_task(f->store.builder, 0, f->now += 1000, tid, tgid, comm);
}

/* The recorder is process 10 with two threads; it starts 20, which becomes make. */
static void put_all(Fixture *f)
{
	task(f, 10, 10, "kmemtrace-user");
	task(f, 11, 10, "drain");
	task(f, 20, 20, "kmemtrace-user");
	take(f, 10, WORKER, 0, 1);
	take(f, 11, WORKER, 0, 2);
	take(f, 20, WORKER, 0, 4);
	task(f, 20, 20, "make");
	take(f, 20, WORKER, 0, 8);
	take(f, 20, RELAY, CHAN_OPEN, 16);
	take(f, 20, RELAY, BUILT_IN, 32);
	take(f, 20, SHARED, CHAN_OPEN, 64);
	take(f, 20, SHARED, WORKER, 128);
	take(f, 20, BUILT_IN, 0, 256);
	f->now += 10 * SECOND;
	take(f, 20, WORKER, 0, 512);
}

static void report_marks_memory_of_the_tracer(Fixture *f, gconstpointer unused)
{
	static const char *const params[] = { ":limit", "9", ":site", "", ":kind", "slab", NULL };

	put_all(f);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT caller, module FROM tracer_sites ORDER BY 1", "kmt_init|\nrelay_open_buf|");
	check_sql(f->store.db, "SELECT tid, comm FROM recorder_tasks ORDER BY 1", "10|kmemtrace-user\n11|drain");
	g_assert_true(temp_view_create(f->store.db, "report_sites", NULL));
	check_named(f->store.db, "report_live", params,
		    "527|5|worker|\n256|1|kmt_init|(the tracer)\n192|2|shared|\n48|2|relay_open_buf|(the tracer)");
}

/* Process 30 has the recorder's name, and 12 is a helper of the recorder with another name. */
static void check_recorder(Fixture *f, const char *host, const char *expected)
{
	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START, host);
	put_all(f);
	task(f, 12, 12, "helper");
	take(f, 12, WORKER, 0, 1);
	task(f, 30, 30, "kmemtrace-user");
	take(f, 30, WORKER, 0, 1);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT tid, comm FROM recorder_tasks ORDER BY 1", expected);
}

static void recorder_is_who_the_trace_says(Fixture *f, gconstpointer unused)
{
	check_recorder(f, "mode=record\nrecorder=10,12,99\n", "10|kmemtrace-user\n11|drain\n12|helper");
}

static void nobody_is_the_recorder_by_name(Fixture *f, gconstpointer unused)
{
	check_recorder(f, "mode=record\nrecorder=none\n", "");
}

static void recorder_of_an_old_trace_goes_by_name(Fixture *f, gconstpointer unused)
{
	check_recorder(f, "mode=record\ncommand=x\nrecorder=12\n",
		       "10|kmemtrace-user\n11|drain\n30|kmemtrace-user");
}

static void memory_of_the_tracer_is_not_leaked(Fixture *f, gconstpointer unused)
{
	static const char *const texts[] = { "leaked_slab != 140", "leaked_count_slab != 3",
					     "own_slab != 371", "live_slab != 1023", NULL };
	g_autoptr(GPtrArray) conditions = g_ptr_array_new();
	CheckOptions options = { .name = "t.kmt", .conditions = &(Conditions){ conditions, texts },
				 .older_ns = SECOND };
	g_autofree char *text = NULL;
	ConditionResult result;
	guint count;
	const ExprName *names = figures_names(&count);

	put_all(f);
	check_store_load(&f->store);
	for (guint i = 0; texts[i]; i++)
		g_ptr_array_add(conditions, expr_parse(texts[i], names, count, NULL));
	text = CHECK_OUTPUT(check_print(f->store.db, &options, out, &result, &error));
	g_assert_cmpuint(result.failed, ==, 0);
	g_assert_nonnull(strstr(text, "\nof the tracer and its recorder, not leaked: 371 in 6 of slab\n"));
	for (guint i = 0; i < conditions->len; i++)
		expr_free(g_ptr_array_index(conditions, i));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/own/report_marks_memory_of_the_tracer", Fixture, NULL, setup, report_marks_memory_of_the_tracer,
		   teardown);
	g_test_add("/own/memory_of_the_tracer_is_not_leaked", Fixture, NULL, setup,
		   memory_of_the_tracer_is_not_leaked, teardown);
#define RECORDER(name) g_test_add("/own/" #name, Fixture, NULL, setup, name, teardown)
	RECORDER(recorder_is_who_the_trace_says);
	RECORDER(nobody_is_the_recorder_by_name);
	RECORDER(recorder_of_an_old_trace_goes_by_name);
	return g_test_run();
}
