// SPDX-License-Identifier: GPL-2.0-or-later
/* Lifetimes and live memory over time, on known traces. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "report/lifetimes/churn.h"
#include "report/lifetimes/lifetimes.h"
#include "report/live/live.h"
#include "base/quickselect.h"
#include "store/store.h"
#include "store-check.h"

#define START G_GUINT64_CONSTANT(1000000)
#define US    1000

static const char kallsyms[] = "ffffffff81001000 T reader\n"
			       "ffffffff81002000 t writer\t[mod]\n"
			       "ffffffff81003000 T closer\n"
			       "ffffffff81004000 T _etext\n";

enum { READER = 0x1010, WRITER = 0x2010, CLOSER = 0x3010 };

typedef struct {
	struct check_store store;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* One event of thread @tid at @us on @cpu; slot numbers objects, or frames. */
static void put_as(Fixture *f, guint64 us, guint cpu, guint32 tid, guint8 context, guint8 type,
		   guint slot, guint64 site, guint32 bytes)
{
	gboolean page = type == KMEMTRACE_EVENT_PAGE_ALLOC || type == KMEMTRACE_EVENT_PAGE_FREE;

	builder_event(f->store.builder, cpu,
		      (struct trace_event){
			      .event = type,
			      .time_ns = START + us * US,
			      .tid = tid,
			      .context = context,
			      .node = KMEMTRACE_NODE_ANY,
			      .addr = page ? 0x90000 + slot : BASE + 0x1000000 + slot * 64,
			      .call_site = TEXT + site,
			      .bytes_req = bytes,
			      .bytes_alloc = bytes,
			      .order = 0,
			      .migratetype = 0,
		      });
}

static void put(Fixture *f, guint64 us, guint8 type, guint slot, guint64 site, guint32 bytes)
{
	put_as(f, us, 0, 7, KMEMTRACE_CONTEXT_TASK, type, slot, site, bytes);
}

/* The answer as JSON contains all of @parts, terminated by NULL. */
static void expect_parts(Fixture *f, ReportFunc print, gconstpointer options,
			 const char *const *parts)
{
	char *text = check_answer(&f->store, print, options, TRUE);

	for (; *parts; parts++)
		check_has(text, *parts);
	free(text);
}

/* ---- lifetimes ---- */

static gint compare(gconstpointer a, gconstpointer b)
{
	guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;

	return x < y ? -1 : x > y;
}

static void quickselect_finds_the_rank(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (guint round = 0; round < 2000; round++) {
		gsize count = g_rand_int_range(rand, 1, 60),
		      rank = g_rand_int_range(rand, 0, count);
		gint range = g_rand_int_range(rand, 1, 70);
		guint64 values[60], sorted[60];

		for (gsize i = 0; i < count; i++)
			values[i] = round % 3 ? (guint64)g_rand_int_range(rand, 0, range) : i;
		memcpy(sorted, values, sizeof(values));
		qsort(sorted, count, sizeof(*sorted), compare);
		g_assert_cmpuint(quickselect(values, count, rank), ==, sorted[rank]);
	}
}

/*
 * An order of the numbers below @count, a multiple of 4, that takes quadratic time if the pivot is
 * the median of the first, the middle and the last value: many minutes for a million.
 */
static guint64 *killing_order(gsize count)
{
	guint64 *values = g_new(guint64, count);
	gsize half = count / 2, n = 0;

	for (gsize i = 0; i < half; i += 2) {
		values[n++] = i;
		values[n++] = half + i / 2;
	}
	n--;
	for (gsize i = 1; i < half; i += 2)
		values[n++] = i;
	for (gsize i = half + half / 2 - 1; i < count; i++)
		values[n++] = i;
	g_assert_cmpuint(n, ==, count);
	return values;
}

static void quickselect_is_linear(void)
{
	gsize count = 1 << 20, rank = count / 2 - 1;
	g_autofree guint64 *values = killing_order(count);

	g_assert_cmpuint(quickselect(values, count, rank), ==, rank);
}

static void quickselect_finds_percentiles(void)
{
	static const guint percents[] = { 50, 95, 99, 100 };
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (guint round = 0; round < 2000; round++) {
		gsize count = g_rand_int_range(rand, 0, 300);
		gint range = g_rand_int_range(rand, 1, 400);
		guint64 values[300], sorted[300];
		gint64 results[G_N_ELEMENTS(percents)];

		for (gsize i = 0; i < count; i++)
			sorted[i] = values[i] = (guint64)g_rand_int_range(rand, 0, range);
		qsort(sorted, count, sizeof(*sorted), compare);
		quickselect_percentiles(values, count, percents, G_N_ELEMENTS(percents), results);
		for (guint i = 0; i < G_N_ELEMENTS(percents); i++) {
			gsize rank = (count * percents[i] + 99) / 100;
			gsize above = count * (100 - percents[i]);
			gboolean few = percents[i] < 100 ? above < 100 : !count;
			gint64 expected = few ? PERCENTILE_NONE : (gint64)sorted[rank - 1];

			g_assert_cmpint(results[i], ==, expected);
		}
	}
}

/* 200 lifetimes of 1 to 200 us in no order, one of another caller, one unfinished. */
static void put_lives(Fixture *f)
{
	for (guint i = 0; i < 200; i++) {
		put(f, i * 1000, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
		put(f, i * 1000 + i * 7 % 200 + 1, KMEMTRACE_EVENT_KFREE, 1, CLOSER, 0);
	}
	put(f, 300000, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	put(f, 300000, KMEMTRACE_EVENT_KMALLOC, 2, WRITER, 32);
	put(f, 300005, KMEMTRACE_EVENT_KFREE, 2, WRITER, 0);
	put(f, 300000, KMEMTRACE_EVENT_PAGE_ALLOC, 2, WRITER, 4096);
	put(f, 302000, KMEMTRACE_EVENT_PAGE_FREE, 2, WRITER, 4096);
}

static void percentiles_equal_the_known_lifetimes(Fixture *f, gconstpointer unused)
{
	const LifetimesOptions options = {.by = "site", .site = "", .limit = 5};

	put_lives(f);
	check_store_load(&f->store);
	expect_parts(
		f, lifetimes_print, &options,
		(const char *const[]){
			"\"trust\": [\n{\"lost_events\":0,",
			"{\"freed\":200,\"freed_bytes\":12800,\"p50_ns\":100000,\"p95_ns\":190000,"
			"\"p99_ns\":198000,"
			"\"max_ns\":200000,\"live\":1,\"unseen\":0,\"kind\":\"slab\",\"name\":"
			"\"reader\"}",
			"{\"freed\":1,\"freed_bytes\":32,\"p50_ns\":null,\"p95_ns\":null,\"p99_"
			"ns\":null,"
			"\"max_ns\":5000,\"live\":0,\"unseen\":0,\"kind\":\"slab\",\"name\":"
			"\"writer [mod]\"}",
			"{\"kind\":\"slab\",\"freed\":201,\"freed_bytes\":12832,\"p50_ns\":100000,"
			"\"p95_ns\":190000,"
			"\"p99_ns\":198000,\"max_ns\":200000,\"live\":1,\"unseen\":0}",
			"{\"kind\":\"page\",\"freed\":1,\"freed_bytes\":4096,\"p50_ns\":null,",
			"{\"kind\":\"slab\",\"from_ns\":1000,\"count\":10,",
			"{\"kind\":\"slab\",\"from_ns\":10000,\"count\":90,",
			"{\"kind\":\"slab\",\"from_ns\":100000,\"count\":101,", NULL});
	check_sql(f->store.db,
		  "SELECT freed, freed_bytes, p50_ns, p95_ns, p99_ns, max_ns FROM lifetimes WHERE "
		  "caller = 'reader'",
		  "200|12800|100000|190000|198000|200000");
}

/* @count lifetimes of 1 us to @count us: the 50th, 95th and 99th percentile, or nothing. */
static void expect_percentiles(Fixture *f, guint count, const char *expected)
{
	const LifetimesOptions options = {.by = "site", .site = "", .limit = 5};
	g_autoptr(StoreRows) rows = NULL;
	g_autofree char *part = NULL;
	g_auto(GStrv) values = g_strsplit(expected, "|", -1);

	for (guint i = 0; i < count; i++) {
		put(f, i * 1000, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
		put(f, i * 1000 + i + 1, KMEMTRACE_EVENT_KFREE, 1, CLOSER, 0);
	}
	check_store_load(&f->store);
	part = g_strdup_printf("\"p50_ns\":%s,\"p95_ns\":%s,\"p99_ns\":%s,\"max_ns\":%u000,",
			       values[0], values[1], values[2], count);
	expect_parts(f, lifetimes_print, &options, (const char *const[]){part, NULL});
	check_sql(f->store.db,
		  "SELECT coalesce(p50_ns, 'null'), coalesce(p95_ns, 'null'), coalesce(p99_ns, 'null') "
		  "FROM lifetimes",
		  expected);
	check_sql(f->store.db,
		  "SELECT coalesce(p50_ns, 'null'), coalesce(p95_ns, 'null'), coalesce(p99_ns, 'null') "
		  "FROM ranks((SELECT group_concat(id || ' 0', ' ') FROM origin))",
		  expected);
	rows = store_query_named(f->store.db, "query_lifetimes",
				 (const char *const[]){":site", "reader", ":lines", "9", NULL}, NULL);
	g_assert_true(store_rows_next(rows));
	for (guint i = 0; i < 3; i++) {
		gboolean none = store_rows_type(rows, i + 1) == STORE_NULL;

		g_assert_cmpstr(none ? "null" : store_rows_text(rows, i + 1), ==, values[i]);
	}
}

static void percentile_of_1_is_not_told(Fixture *f, gconstpointer unused)
{
	expect_percentiles(f, 1, "null|null|null");
}

static void percentiles_of_2_are_the_median(Fixture *f, gconstpointer unused)
{
	expect_percentiles(f, 2, "1000|null|null");
}

static void percentiles_of_19_are_the_median(Fixture *f, gconstpointer unused)
{
	expect_percentiles(f, 19, "10000|null|null");
}

static void percentiles_of_20_have_the_95th(Fixture *f, gconstpointer unused)
{
	expect_percentiles(f, 20, "10000|19000|null");
}

static void percentiles_of_99_lack_the_99th(Fixture *f, gconstpointer unused)
{
	expect_percentiles(f, 99, "50000|95000|null");
}

static void percentiles_of_100_are_whole(Fixture *f, gconstpointer unused)
{
	expect_percentiles(f, 100, "50000|95000|99000");
}

static void lifetimes_group_by_option(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *by, *site, *name, *other;
	} cases[] = {
		{"site", "writer", "\"name\":\"writer [mod]\"", "\"name\":\"reader\""},
		{"module", "",
		 "\"freed\":200,\"freed_bytes\":12800,\"p50_ns\":100000,\"p95_ns\":190000,"
		 "\"p99_ns\":198000,\"max_ns\":200000,\"live\":1,\"unseen\":0,\"kind\":\"slab\","
		 "\"name\":\"(kernel)\"",
		 "\"name\":\"reader\""},
		{"task", "",
		 "\"freed\":201,\"freed_bytes\":12832,\"p50_ns\":100000,\"p95_ns\":190000,"
		 "\"p99_ns\":198000,\"max_ns\":200000,\"live\":1,\"unseen\":0,\"kind\":\"slab\","
		 "\"name\":\"?-7\"",
		 "\"freed\":200"},
		{"stack", "", "\"kind\":\"page\",\"name\":\"writer\"",
		 "\"freed\":201,\"freed_bytes\":12832,"
		 "\"p50_ns\":100000,\"p95_ns\":190000,\"p99_ns\":198000,\"max_ns\":200000,\"live\":"
		 "1,\"unseen\":0,"
		 "\"kind\":\"slab\""},
		{"cache", "", "\"kind\":\"slab\",\"name\":\"(no cache)\"", "\"name\":\"reader\""},
	};

	put_lives(f);
	check_store_load(&f->store);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const LifetimesOptions options = { .by = cases[i].by, .site = cases[i].site,
						   .limit = 5 };
		char *text = check_answer(&f->store, lifetimes_print, &options, TRUE);

		check_has(text, cases[i].name);
		check_has_not(text, cases[i].other);
		free(text);
	}
}

/* The length of a bar is the number of lifetimes in its decade. */
static void histogram_scales_its_bars(Fixture *f, gconstpointer unused)
{
	const LifetimesOptions options = {.by = "site", .site = "reader", .limit = 5};
	g_autofree char *text = NULL;

	put_lives(f);
	check_store_load(&f->store);
	text = check_answer(&f->store, lifetimes_print, &options, FALSE);
	check_has(text, "slab    1.0us      9  ####\n"
			"slab   10.0us     90  ############################################\n"
			"slab  100.0us    101  ##################################################\n");
}

static void pairs_count_other_cpu_task_and_node(Fixture *f, gconstpointer unused)
{
	LifetimesOptions options = {.by = "site", .site = "", .limit = 5};
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "cpu_nodes", KMEMTRACE_PHASE_START, "0 0\n1 0\n2 1\n");
	builder_snapshot(f->store.builder, "cpu_nodes", KMEMTRACE_PHASE_END, "0 0\n1 3\nx 1\n7 -1\n");
	for (guint i = 0; i < 6; i++) {
		put_as(f, i * 10, 0, 7, 0, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
		/*
		 * 0, 1: same CPU and thread; 2, 3, 4: another CPU, and for 4 another thread; 5:
		 * only another thread
		 */
		put_as(f, i * 10 + 5, i > 1 && i < 5, i < 4 ? 7 : 8, 0, KMEMTRACE_EVENT_KFREE, 1,
		       CLOSER, 0);
	}
	check_store_load(&f->store);
	expect_parts(f, alloc_free_pairs_print, &options,
		     (const char *const[]){"{\"count\":6,\"bytes\":384,\"other_cpu\":3,\"other_"
					   "task\":2,\"other_node\":3,\"kind\":\"slab\",\"allocated_by\":"
					   "\"reader\",\"freed_by\":\"closer\"}",
					   NULL});
	check_sql(f->store.db,
		  "SELECT count, bytes, other_cpu, other_task, other_node, caller, free_caller FROM free_pairs",
		  "6|384|3|2|3|reader|closer");
	check_sql(f->store.db, "SELECT group_concat(id || ' ' || node, ', ') FROM cpu", "0 0, 1 3");
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'skipped_lines'", "2");
	options.cross = LIFETIMES_CROSS_CPU;
	expect_parts(f, alloc_free_pairs_print, &options,
		     (const char *const[]){
			     "{\"count\":3,\"bytes\":192,\"other_cpu\":3,\"other_task\":1,", NULL});
	options.cross = LIFETIMES_CROSS_THREAD;
	expect_parts(f, alloc_free_pairs_print, &options,
		     (const char *const[]){
			     "{\"count\":2,\"bytes\":128,\"other_cpu\":1,\"other_task\":2,", NULL});
	options.cross = LIFETIMES_CROSS_NODE;
	expect_parts(f, alloc_free_pairs_print, &options,
		     (const char *const[]){"{\"count\":3,\"bytes\":192,\"other_cpu\":3,", NULL});
	options.cross = LIFETIMES_CROSS_THREAD;
	options.site = "writer";
	text = check_answer(&f->store, alloc_free_pairs_print, &options, FALSE);
	check_has(text, "in another thread\nnothing\n");
}

/* ---- temporaries ---- */

/* The second event of a large kmalloc is not another allocation. */
static void churn_counts_large_kmalloc_once(Fixture *f, gconstpointer unused)
{
	guint64 addr = BASE + G_GUINT64_CONSTANT(0x90000000);

	builder_page_alloc(f->store.builder, 0, START, 7, 0x90000, 3, 0);
	builder_kmalloc(f->store.builder, 0, START + US, 7, addr, 30000, 32768, 0);
	builder_kmalloc(f->store.builder, 0, START + 2 * US, 7, addr, 30000, 32768, 0);
	builder_kfree(f->store.builder, 0, START + 3 * US, 7, addr);
	builder_page_free(f->store.builder, 0, START + 4 * US, 7, 0x90000, 3);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'told_again'", "1");
	check_sql(f->store.db, "SELECT kind, within, count FROM temporaries", "slab|1|1");
}

static void churn_counts_allocations_of_one_task(Fixture *f, gconstpointer unused)
{
	ChurnOptions options = {.site = "", .limit = 5, .within = 1};

	builder_task(f->store.builder, 0, START, 7, 7, "first");
	/* Another thread and an interrupt allocate in between: it is still temporary. */
	put(f, 10, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	put_as(f, 11, 0, 8, KMEMTRACE_CONTEXT_TASK, KMEMTRACE_EVENT_KMALLOC, 2, WRITER, 64);
	put_as(f, 12, 0, 7, KMEMTRACE_CONTEXT_SOFTIRQ, KMEMTRACE_EVENT_KMALLOC, 3, WRITER, 64);
	put(f, 13, KMEMTRACE_EVENT_KFREE, 1, CLOSER, 0);
	/* One more in between: within 2. The one in between is itself temporary. */
	put(f, 20, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	put(f, 21, KMEMTRACE_EVENT_KMALLOC, 4, CLOSER, 64);
	put(f, 22, KMEMTRACE_EVENT_KFREE, 1, CLOSER, 0);
	put(f, 23, KMEMTRACE_EVENT_KFREE, 4, CLOSER, 0);
	/* Three more in between, one under another name: within 4. Freed by another thread. */
	put(f, 30, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	put(f, 31, KMEMTRACE_EVENT_KMALLOC, 4, WRITER, 64);
	builder_task(f->store.builder, 0, START + 32 * US, 7, 7, "second");
	put(f, 33, KMEMTRACE_EVENT_KMALLOC, 5, WRITER, 64);
	put(f, 34, KMEMTRACE_EVENT_PAGE_ALLOC, 5, WRITER, 4096);
	put_as(f, 35, 1, 9, 0, KMEMTRACE_EVENT_KFREE, 1, CLOSER, 0);
	put(f, 1000, KMEMTRACE_EVENT_PAGE_FREE, 5, WRITER, 4096);
	check_store_load(&f->store);
	expect_parts(f, churn_print, &options,
		     (const char *const[]){"\"allocs\":3,\"allocated_bytes\":192,\"temporary\":1,"
					   "\"temporary_pct\":33.3333",
					   "\"allocs\":1,\"allocated_bytes\":64,\"temporary\":1,"
					   "\"temporary_pct\":100.0,\"kind\":\"slab\","
					   "\"caller\":\"closer\"",
					   "{\"allocs_per_s\":4000,\"allocs\":4,\"allocated_"
					   "bytes\":256,\"temporary\":0,",
					   "\"temporary\":1,\"temporary_pct\":100.0,\"kind\":"
					   "\"page\",\"caller\":\"writer\"",
					   NULL});
	options.within = 2;
	expect_parts(f, churn_print, &options,
		     (const char *const[]){"\"temporary\":2,\"temporary_pct\":66.6666", NULL});
	options.within = 4;
	expect_parts(f, churn_print, &options,
		     (const char *const[]){"\"temporary\":3,\"temporary_pct\":100.0,\"kind\":"
					   "\"slab\",\"caller\":\"reader\"",
					   NULL});
	check_sql(f->store.db,
		  "SELECT group_concat(within || ':' || count, ' ') FROM temporaries WHERE caller "
		  "= 'reader'",
		  "1:1 2:1 4:1");
}

/* ---- live memory over time ---- */

/*
 * Slabs peak at 30 us, pages at 60. Per-CPU memory is never freed, and its bytes are those of all
 * CPUs.
 */
static void put_peaks(Fixture *f)
{
	put(f, 0, KMEMTRACE_EVENT_PERCPU_ALLOC, 900, CLOSER, 96);
	put(f, 10, KMEMTRACE_EVENT_KMALLOC, 1, READER, 1000);
	put(f, 20, KMEMTRACE_EVENT_KMALLOC, 101, WRITER, 300);
	put(f, 30, KMEMTRACE_EVENT_KMALLOC, 102, WRITER, 300);
	put(f, 35, KMEMTRACE_EVENT_KFREE, 1, CLOSER, 0);
	put(f, 36, KMEMTRACE_EVENT_KMALLOC, 103, WRITER, 999);
	put(f, 40, KMEMTRACE_EVENT_PAGE_ALLOC, 1, READER, 4096);
	put(f, 50, KMEMTRACE_EVENT_PAGE_ALLOC, 2, READER, 4096);
	put(f, 60, KMEMTRACE_EVENT_PAGE_ALLOC, 3, WRITER, 4096);
	put(f, 65, KMEMTRACE_EVENT_PAGE_FREE, 1, READER, 4096);
	put(f, 70, KMEMTRACE_EVENT_KFREE, 103, CLOSER, 0);
	put(f, 100, KMEMTRACE_EVENT_KFREE_RCU, 102, CLOSER, 0);
}

static void each_kind_has_its_own_peak(Fixture *f, gconstpointer unused)
{
	LiveOptions options = {.by = "site", .site = "", .limit = 5, .at_ns = -1};

	put_peaks(f);
	check_store_load(&f->store);
	expect_parts(f, live_print_peak, &options,
		     (const char *const[]){"\"peak\": [\n"
					   "{\"kind\":\"slab\",\"at_ns\":30000,\"live_bytes\":1600,"
					   "\"live_count\":3,\"unseen_bytes\":0},\n"
					   "{\"kind\":\"page\",\"at_ns\":60000,\"live_bytes\":"
					   "12288,\"live_count\":3,\"unseen_bytes\":0},\n"
					   "{\"kind\":\"percpu\",\"at_ns\":0,\"live_bytes\":96,"
					   "\"live_count\":1,\"unseen_bytes\":0}\n]",
					   "\"holders\": [\n"
					   "{\"live_bytes\":1000,\"live_count\":1,\"unseen_bytes\":"
					   "0,\"kind\":\"slab\",\"name\":\"reader\"},\n"
					   "{\"live_bytes\":600,\"live_count\":2,\"unseen_bytes\":"
					   "0,\"kind\":\"slab\",\"name\":\"writer [mod]\"},\n"
					   "{\"live_bytes\":8192,\"live_count\":2,\"unseen_bytes\":"
					   "0,\"kind\":\"page\",\"name\":\"reader\"},\n"
					   "{\"live_bytes\":4096,\"live_count\":1,\"unseen_bytes\":"
					   "0,\"kind\":\"page\",\"name\":\"writer [mod]\"},\n"
					   "{\"live_bytes\":96,\"live_count\":1,\"unseen_bytes\":0,"
					   "\"kind\":\"percpu\",\"name\":\"closer\"}\n]",
					   NULL});
	check_sql(f->store.db,
		  "SELECT max(live_bytes), time_ns, live_count FROM live_over_time WHERE kind = "
		  "'slab'",
		  "1600|30000|3");
	options.site = "writer"; /* its own peak, not its bytes at the peak of all */
	expect_parts(
		f, live_print_peak, &options,
		(const char *const[]){
			"{\"kind\":\"slab\",\"at_ns\":36000,\"live_bytes\":1599,\"live_count\":3,",
			NULL});
}

static void live_at_a_time_includes_later_frees(Fixture *f, gconstpointer unused)
{
	LiveOptions options = {.by = "module", .site = "", .limit = 5, .at_ns = 34999};

	put_peaks(f);
	check_store_load(&f->store);
	expect_parts(
		f, live_print_live, &options,
		(const char *const[]){
			"{\"kind\":\"slab\",\"at_ns\":34999,\"live_bytes\":1600,\"live_count\":3,",
			"{\"live_bytes\":600,\"live_count\":2,\"unseen_bytes\":0,\"kind\":\"slab\","
			"\"name\":\"mod\"}",
			NULL});
	options.at_ns = 35000; /* it is freed at this moment */
	expect_parts(
		f, live_print_live, &options,
		(const char *const[]){
			"{\"kind\":\"slab\",\"at_ns\":35000,\"live_bytes\":600,\"live_count\":2,",
			NULL});
	options.at_ns = 99999; /* before kfree_rcu() is called for one */
	expect_parts(
		f, live_print_live, &options,
		(const char *const[]){
			"{\"kind\":\"slab\",\"at_ns\":99999,\"live_bytes\":600,\"live_count\":2,",
			NULL});
	options.at_ns = -1; /* as in the view kinds: objects being freed are not live */
	expect_parts(
		f, live_print_live, &options,
		(const char *const[]){
			"{\"kind\":\"slab\",\"at_ns\":100000,\"live_bytes\":300,\"live_count\":1,",
			"{\"kind\":\"page\",\"at_ns\":100000,\"live_bytes\":8192,\"live_count\":2,",
			NULL});
	check_sql(f->store.db, "SELECT live_bytes, live_count FROM kinds WHERE kind = 'slab'", "300|1");
}

static void live_rejects_time_after_the_end(Fixture *f, gconstpointer unused)
{
	const LiveOptions options = {.by = "site", .site = "", .limit = 5, .at_ns = 100001};
	Printer printer = {0};
	GError *error = NULL;

	put_peaks(f);
	check_store_load(&f->store);
	printer = (Printer){.db = f->store.db, .out = stdout};
	g_assert_false(live_print_live(&printer, &options, &error));
	g_assert_cmpstr(error->message, ==, "the trace ends after 100.0us");
	g_clear_error(&error);
}

/* Pages that back an object, and a block that is freed in pieces. */
static void backing_pages_count_once(Fixture *f, gconstpointer unused)
{
	const LiveOptions options = {.by = "kind", .site = "", .limit = 5, .at_ns = -1};

	builder_page_alloc(f->store.builder, 0, START, 7, 0x50, 0, 0);
	builder_kmalloc(f->store.builder, 0, START + 10, 7, BASE + (0x50 << 12) + 64, 60, 64, 0);
	builder_page_alloc(f->store.builder, 0, START + 20, 7, 0x80, 2, 0);
	builder_page_free(f->store.builder, 0, START + 30, 7, 0x81, 0);
	builder_kfree(f->store.builder, 0, START + 100, 7, BASE + 0x123440);
	check_store_load(&f->store);
	expect_parts(f, live_print_live, &options,
		     (const char *const[]){"{\"kind\":\"slab\",\"at_ns\":100,\"live_bytes\":64,"
					   "\"live_count\":1,\"unseen_bytes\":0},\n"
					   "{\"kind\":\"page\",\"at_ns\":100,\"live_bytes\":12288,"
					   "\"live_count\":1,\"unseen_bytes\":0}\n]",
					   NULL});
	expect_parts(f, live_print_peak, &options,
		     (const char *const[]){"{\"kind\":\"page\",\"at_ns\":20,\"live_bytes\":16384,"
					   "\"live_count\":1,\"unseen_bytes\":0}\n]",
					   NULL});
}

/* The same address is allocated again: the first free was unseen. */
static void live_counts_unseen_bytes(Fixture *f, gconstpointer unused)
{
	const LiveOptions options = {.by = "kind", .site = "", .limit = 5, .at_ns = 10 * US};

	put(f, 0, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	put(f, 20, KMEMTRACE_EVENT_KMALLOC, 1, READER, 32);
	check_store_load(&f->store);
	expect_parts(f, live_print_live, &options,
		     (const char *const[]){"{\"kind\":\"slab\",\"at_ns\":10000,\"live_bytes\":64,"
					   "\"live_count\":1,\"unseen_bytes\":64}",
					   NULL});
}

static void timeline_has_all_steps(Fixture *f, gconstpointer unused)
{
	const LiveOptions options = {.by = "kind", .site = "", .limit = 5, .steps = 4};
	g_autofree char *text = NULL;

	put_peaks(f);
	check_store_load(&f->store);
	expect_parts(f, live_print_timeline, &options,
		     (const char *const[]){"{\"time_ns\":25000,\"live_bytes\":1300,\"kind\":"
					   "\"slab\",\"name\":\"slab\"},\n"
					   "{\"time_ns\":50000,\"live_bytes\":1599,\"kind\":"
					   "\"slab\",\"name\":\"slab\"},\n"
					   "{\"time_ns\":75000,\"live_bytes\":600,\"kind\":"
					   "\"slab\",\"name\":\"slab\"},\n"
					   "{\"time_ns\":100000,\"live_bytes\":300,\"kind\":"
					   "\"slab\",\"name\":\"slab\"}",
					   "{\"time_ns\":50000,\"live_bytes\":8192,\"kind\":"
					   "\"page\",\"name\":\"page\"}",
					   NULL});
	text = check_answer(&f->store, live_print_timeline, &options, FALSE);
	check_has(text, "1.6K  50.0us        300  |▇█▃▂|     slab");
}

/* ---- completeness ---- */

static void answer_reports_lost_events(Fixture *f, gconstpointer unused)
{
	const LifetimesOptions options = {.by = "site", .site = "", .limit = 5};
	char *text;

	put(f, 0, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 3);
	builder_flush(f->store.builder, 0);
	put(f, 1, KMEMTRACE_EVENT_KFREE, 1, READER, 64);
	builder_stats(f->store.builder);
	check_store_load(&f->store);
	text = check_answer(&f->store, lifetimes_print, &options, FALSE);
	g_assert_true(g_str_has_prefix(text, "Trace: t.kmt\nTrust: INCOMPLETE: 3 events were lost"
					     ": live memory may have been freed unseen\n"));
	g_assert_true(f->store.incomplete);
	free(text);
	expect_parts(f, lifetimes_print, &options,
		     (const char *const[]){"{\n\"trust\": [\n{\"lost_events\":3,",
					   NULL});
}

static void answer_reports_impossible_page_events(Fixture *f, gconstpointer unused)
{
	const LifetimesOptions options = {.by = "site", .site = "", .limit = 5};
	g_autofree char *text = NULL;

	put(f, 0, KMEMTRACE_EVENT_KMALLOC, 1, READER, 64);
	builder_event(f->store.builder, 0,
		      (struct trace_event){
			      .event = KMEMTRACE_EVENT_PAGE_ALLOC,
			      .time_ns = START + US,
			      .addr = 0x90000,
			      .call_site = TEXT + READER,
			      .order = 200,
		      });
	builder_stats(f->store.builder);
	check_store_load(&f->store);
	text = check_answer(&f->store, lifetimes_print, &options, FALSE);
	check_has(text, "\nTrust: INCOMPLETE: 1 page event is impossible");
	g_assert_true(f->store.incomplete);
}

static void answer_scales_samples(Fixture *f, gconstpointer unused)
{
	const LiveOptions options = {.by = "site", .site = "", .limit = 5, .at_ns = -1};
	const LifetimesOptions lives = {.by = "site", .site = "", .limit = 5};
	const ChurnOptions churn = {.limit = 5, .within = 1, .site = ""};
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START,
			 "pids\ncgroup 0\ncache\nsize 0\nsample 16\n");
	put_peaks(f);
	check_store_load(&f->store);
	expect_parts(f, live_print_peak, &options,
		     (const char *const[]){"\"sample\":16,\"not_traced\":null,\"filters\":\"sample 16\",\"partly_unseen\":null,\"lacking\":null,\"missing_stacks\":0,\"uncounted\":0,\"missing_chunks\":0,\"torn_texts\":0,\"mixed_sessions\":0,\"ends_early\":0,\"unfinished_records\":0,\"unknown_records\":0,\"surplus_records\":0,\"backward_records\":0,\"absurd_pages\":0,\"frozen\":null,\"frozen_ns\":null,\"complete\":1}",
					   "{\"kind\":\"slab\",\"at_ns\":30000,\"live_bytes\":"
					   "25600,\"live_count\":48,",
					   NULL});
	expect_parts(
		f, lifetimes_print, &lives,
		(const char *const[]){
			"{\"kind\":\"page\",\"freed\":16,\"freed_bytes\":65536,\"p50_ns\":null,",
			NULL});
	text = check_answer(&f->store, live_print_peak, &options, FALSE);
	check_has(text, "\n  1 in 16 SAMPLED: counts and bytes below are scaled by 16: what reuses few addresses is missing, or counts up to 16 times\n");
	g_free(text);
	text = check_answer(&f->store, churn_print, &churn, FALSE);
	check_has(text, "(too many are temporary: allocations that a filter or the sample left out would count as further ones)\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lives/quickselect_finds_the_rank", quickselect_finds_the_rank);
	g_test_add_func("/lives/quickselect_is_linear", quickselect_is_linear);
	g_test_add_func("/lives/quickselect_finds_percentiles", quickselect_finds_percentiles);
#define ADD(test) g_test_add("/lives/" #test, Fixture, NULL, setup, test, teardown)
	ADD(percentiles_equal_the_known_lifetimes);
	ADD(percentile_of_1_is_not_told);
	ADD(percentiles_of_2_are_the_median);
	ADD(percentiles_of_19_are_the_median);
	ADD(percentiles_of_20_have_the_95th);
	ADD(percentiles_of_99_lack_the_99th);
	ADD(percentiles_of_100_are_whole);
	ADD(lifetimes_group_by_option);
	ADD(histogram_scales_its_bars);
	ADD(pairs_count_other_cpu_task_and_node);
	ADD(churn_counts_allocations_of_one_task);
	ADD(churn_counts_large_kmalloc_once);
	ADD(each_kind_has_its_own_peak);
	ADD(live_at_a_time_includes_later_frees);
	ADD(live_rejects_time_after_the_end);
	ADD(backing_pages_count_once);
	ADD(live_counts_unseen_bytes);
	ADD(timeline_has_all_steps);
	ADD(answer_reports_lost_events);
	ADD(answer_reports_impossible_page_events);
	ADD(answer_scales_samples);
	return g_test_run();
}
