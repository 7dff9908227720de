// SPDX-License-Identifier: GPL-2.0-or-later
/* The SQL functions, live_at() and the named queries, on a known trace. */
#include <glib.h>
#include <string.h>

#include "store/query/named.h"
#include "store/store.h"
#include "store-check.h"

#define START	1000000		/* ns: time of the first event, which is 0 in the database */

static const char kallsyms[] = "ffffffff81001000 T reader\n"
			       "ffffffff81002000 t writer\t[mod]\n"
			       "ffffffff81003000 T _etext\n";

typedef struct {
	struct check_store store;
	guint32 stack;		/* reader < writer */
} Fixture;

static void put(Fixture *f, guint cpu, guint64 time_ns, guint8 type, guint64 addr, guint32 req,
		guint32 alloc)
{
	const struct trace_event event = { .event = type, .time_ns = START + time_ns, .addr = addr,
					   .call_site = TEXT + 0x1010, .bytes_req = req,
					   .bytes_alloc = alloc, .stack_id = f->stack, .tid = 7,
					   .node = KMEMTRACE_NODE_ANY };

	builder_event(f->store.builder, cpu, event);
}

/*
 *   A 100 bytes of 128:  [0 ------------------- live
 *   B 50 of 64:               [1000 ---- 3000)
 *   C 20 of 32:                    [2000 --- freed unseen, as D takes its address at 4000
 *   D 30 of 32:                               [4000 --- kfree_rcu() at 5000: freeing
 *   E 60 of 64:                    [2500 ------- 6000), freed on another CPU
 */
static void put_lives(Fixture *f)
{
	put(f, 0, 0, KMEMTRACE_EVENT_KMALLOC, BASE, 100, 128);
	put(f, 0, 1000, KMEMTRACE_EVENT_KMALLOC, BASE + 0x1000, 50, 64);
	put(f, 0, 2000, KMEMTRACE_EVENT_KMALLOC, BASE + 0x2000, 20, 32);
	put(f, 0, 2500, KMEMTRACE_EVENT_KMALLOC, BASE + 0x3000, 60, 64);
	put(f, 0, 3000, KMEMTRACE_EVENT_KFREE, BASE + 0x1000, 0, 0);
	put(f, 0, 4000, KMEMTRACE_EVENT_KMALLOC, BASE + 0x2000, 30, 32);
	put(f, 0, 5000, KMEMTRACE_EVENT_KFREE_RCU, BASE + 0x2000, 0, 0);
	put(f, 1, 6000, KMEMTRACE_EVENT_KFREE, BASE + 0x3000, 0, 0);
}

static void setup(Fixture *f, gconstpointer unused)
{
	static const guint64 addrs[] = { TEXT + 0x1010, TEXT + 0x2010 };

	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "modules", KMEMTRACE_PHASE_START,
			 "mod 4096 0 - Live 0xffffffff81002000\n");
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\ngfp IO 0x40\ngfp FS 0x80\n");
	f->stack = builder_stack(f->store.builder, addrs, G_N_ELEMENTS(addrs));
	put_lives(f);
	check_store_load(&f->store);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* All values of all rows, separated by blanks; NULL is "-". An error gives its text. */
static char *rows_of(StoreRows *rows, GError *error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	while (store_rows_next(rows)) {
		for (int i = 0; i < store_rows_columns(rows); i++)
			g_string_append_printf(text, "%s%s", text->len ? " " : "",
					       store_rows_type(rows, i) == STORE_NULL
						       ? "-" : store_rows_text(rows, i));
	}
	store_rows_done(rows, error ? NULL : &error);
	if (error)
		g_string_assign(text, error->message);
	g_clear_error(&error);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void expect(Fixture *f, const char *sql, const char *expected)
{
	GError *error = NULL;
	g_autoptr(StoreRows) rows = store_query(f->store.db, sql, NULL, &error);
	g_autofree char *got = rows_of(rows, error);

	g_assert_cmpstr(got, ==, expected);
}

static void expect_error(Fixture *f, const char *sql, const char *part)
{
	GError *error = NULL;
	g_autoptr(StoreRows) rows = store_query(f->store.db, sql, NULL, &error);

	g_assert_false(store_rows_next(rows));
	store_rows_done(rows, error ? NULL : &error);
	g_assert_nonnull(error);
	g_assert_nonnull(strstr(error->message, part));
	g_clear_error(&error);
}

/* ---- scalar functions ---- */

static void bytes_and_duration_format_numbers(Fixture *f, gconstpointer unused)
{
	expect(f, "SELECT bytes(1572864), bytes(511), bytes(NULL), bytes(-2048), bytes(1535.6)",
	       "1.5M 511 - -2.0K 1.5K");
	expect(f, "SELECT duration(850), duration(12345), duration(NULL), duration(7.89e9)",
	       "850ns 12.3us - 7.89s");
	expect(f, "SELECT bytes(9e999) = bytes(9.2e18), duration(-9e999) IS NOT NULL", "1 1");
	expect_error(f, "SELECT bytes('many')", "expected a number");
	expect_error(f, "SELECT duration(x'00')", "expected a number");
	expect_error(f, "SELECT bytes()", "wrong number of arguments");
}

static void stack_gives_its_text(Fixture *f, gconstpointer unused)
{
	expect(f, "SELECT DISTINCT stack(stack) FROM live", "reader+0x10 < writer+0x10 [mod]");
	expect(f, "SELECT count(*) FROM stacks WHERE stack(id) IS NOT text", "0");
	expect(f, "SELECT stack(NULL), stack(12345678)", "- -");
}

static void sym_gives_function_and_offset(Fixture *f, gconstpointer unused)
{
	expect(f, "SELECT sym('0xffffffff81001010'), sym('0xffffffff81002010')",
	       "reader+0x10 writer+0x10 [mod]");
	expect(f, "SELECT count(*) FROM frame WHERE sym(addr) IS NOT name", "0");
	expect(f, "SELECT count(*) FROM frames WHERE sym(addr) IS NOT name", "0");
	/* Below a known address, in its function; above it, the function's end is unknown. */
	expect(f, "SELECT sym('0xffffffff81002004'), sym('0xffffffff81002000')",
	       "writer+0x4 [mod] writer+0x0 [mod]");
	expect(f, "SELECT sym('0xffffffff81001011'), sym(0), sym(NULL)", "- - -");
	expect_error(f, "SELECT sym('reader')", "expected an address");
	expect_error(f, "SELECT sym('0x')", "expected an address");
	expect_error(f, "SELECT sym('0x10000000000000000')", "expected an address");
}

static void gfp_and_order_have_names(Fixture *f, gconstpointer unused)
{
	expect(f, "SELECT gfp(0x40), gfp(0xc0), gfp(0x1), gfp(NULL)", "IO IO|FS 0x1 -");
	expect(f, "SELECT count(*) FROM gfp WHERE gfp(value) IS NOT names", "0");
	expect(f, "SELECT order_name(0), order_name(9), order_name(NULL)",
	       "order 0 (4.0K) order 9 (2.0M) -");
	expect_error(f, "SELECT order_name(-1)", "0 to 30");
	expect_error(f, "SELECT order_name(31)", "0 to 30");
}

/* ---- live_at ---- */

static void live_at_gives_allocations_live_at_a_time(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *time, *requested;	/* sizes of live allocations, sorted */
	} times[] = { { "0", "100" },	     { "'999ns'", "100" },    { "'1us'", "50,100" },
		      { "2e-6", "50,100" },  { "2.5e-6", "50,60,100" }, { "'2999ns'", "50,60,100" },
		      { "3e-6", "60,100" }, { "4e-6", "60,100" },     { "'5999ns'", "60,100" },
		      { "6e-6", "100" },     { "3600", "100" },	      { "-1", "-" },
		      { "9e999", "100" },    { "NULL", "-" } };

	for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
		g_autofree char *sql = g_strdup_printf("SELECT group_concat(bytes_req) FROM (SELECT bytes_req "
						       "FROM live_at(%s) ORDER BY bytes_req)", times[i].time);

		expect(f, sql, times[i].requested);
	}
	/* At the end, it equals the view live in every column. */
	expect(f, "SELECT count(*) FROM live_at((SELECT value / 1e9 FROM meta WHERE key = 'span_ns')) l "
	       "JOIN live USING (id)", "1");
	expect(f, "SELECT count(*) FROM (SELECT * FROM live EXCEPT SELECT * FROM live_at(1))", "0");
	expect(f, "SELECT group_concat(a.name) = group_concat(b.name) FROM pragma_table_info('allocations') a "
	       "JOIN pragma_table_info('live_at') b USING (cid)", "1");
	/* For each time in another table, and twice in one statement. */
	expect(f, "SELECT time_ns, (SELECT count(*) FROM live_at(a.time_ns / 1e9)) FROM allocations a "
	       "ORDER BY time_ns", "0 1 1000 2 2000 2 2500 3 4000 2");
	expect(f, "SELECT b.bytes_req FROM live_at(1) a, live_at('1us') b WHERE a.id = b.id", "100");
	expect_error(f, "SELECT * FROM live_at", "t is missing");
	expect_error(f, "SELECT * FROM live_at('soon')", "invalid time 'soon'");
	expect_error(f, "SELECT * FROM live_at(1, 2)", "too many arguments");
	expect_error(f, "INSERT INTO live_at (id) VALUES (1)", "");
}

/* ---- named queries ---- */

static void named_queries_have_help_and_run(Fixture *f, gconstpointer unused)
{
	g_autoptr(GPtrArray) queries = named_load();
	g_autoptr(GHashTable) none = g_hash_table_new(g_str_hash, g_str_equal);

	g_assert_cmpuint(queries->len, >=, 12);
	for (guint i = 0; i < queries->len; i++) {
		const NamedQuery *query = g_ptr_array_index(queries, i);
		GError *error = NULL;
		g_auto(GStrv) params = named_bind(query, none, &error);
		g_autoptr(StoreRows) rows = NULL;

		g_assert_no_error(error);
		g_assert_true(g_str_has_suffix(query->summary, "."));
		g_assert_nonnull(named_param(query, "lines"));
		for (guint j = 0; j < query->params->len; j++) {
			const NamedParam *param = g_ptr_array_index(query->params, j);

			g_assert_true(param->name[0] == ':' && param->help[0]);
		}
		rows = store_query(f->store.db, query->sql, (const char *const *)params, &error);
		g_assert_no_error(error);
		while (store_rows_next(rows))
			;
		store_rows_done(rows, &error);
		g_assert_no_error(error);
	}
}

/* The first row of a query, with the options given as pairs. */
static void expect_named(Fixture *f, const char *name, const char *const *options,
			 const char *columns, const char *expected)
{
	g_autoptr(GPtrArray) queries = named_load();
	g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
	const NamedQuery *query = named_find(queries, name);
	g_autofree char *inner = NULL, *sql = NULL, *got = NULL;
	g_autoptr(StoreRows) rows = NULL;
	g_auto(GStrv) params = NULL;
	GError *error = NULL;

	g_assert_nonnull(query);
	for (; options && *options; options += 2)
		g_hash_table_insert(values, (gpointer)options[0], (gpointer)options[1]);
	params = named_bind(query, values, &error);
	g_assert_no_error(error);
	inner = g_strndup(query->sql, strrchr(query->sql, ';') - query->sql);
	sql = g_strdup_printf("SELECT %s FROM (%s)", columns, inner);
	rows = store_query(f->store.db, sql, (const char *const *)params, &error);
	got = rows_of(rows, error);
	g_assert_cmpstr(got, ==, expected);
}

static void named_queries_give_the_known_rows(Fixture *f, gconstpointer unused)
{
	static const char *const at[] = { "at", "2600ns", NULL };
	static const char *const old[] = { "older", "5us", NULL };
	static const char *const older[] = { "older", "6us", NULL };
	static const char *const site[] = { "site", "reader", NULL };
	static const char *const pages[] = { "kind", "page", NULL };

	expect_named(f, "holders", NULL, "kind, live_bytes, live_count, caller, stack",
		     "slab 128 1 reader reader+0x10 < writer+0x10 [mod]");
	expect_named(f, "holders", pages, "count(*)", "0");
	expect_named(f, "tasks", NULL, "live_bytes, live_count", "128 1");
	expect_named(f, "modules", NULL, "kind, live_bytes, live_count, total_bytes, count, waste_bytes, module",
		     "slab 128 1 320 5 60 (kernel)");
	expect_named(f, "leaks", old, "live_bytes, live_count, oldest_ns", "128 1 6000");
	expect_named(f, "leaks", older, "count(*)", "0");
	expect_named(f, "live-at", at, "kind, live_bytes, live_count, caller", "slab 256 3 reader");
	expect_named(f, "waste", NULL, "waste_bytes, rounded_count, least_bytes, most_bytes, caller",
		     "60 5 20 100 reader");
	expect_named(f, "churn", NULL, "count, total_bytes, freed_pct, live_count", "5 320 60.0 1");
	expect_named(f, "lifetimes", site, "count, p50_ns, p95_ns IS NULL, p99_ns IS NULL, max_ns", "2 2000 1 1 3500");
	expect_named(f, "cross-cpu", NULL, "count, of_freed_pct, caller, free_caller", "1 100.0 reader reader");
	expect_named(f, "losses", NULL, "count(*)", "0");
	expect_named(f, "unmatched", NULL, "count(*)", "0");
}

static void named_queries_reject_invalid_values(Fixture *f, gconstpointer unused)
{
	static const char *const wrong[][3] = { { "leaks", "older", "soon" }, { "leaks", "lines", "0" },
						{ "leaks", "lines", "many" }, { "live-at", "at", "-1" } };
	g_autoptr(GPtrArray) queries = named_load();

	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GHashTable) values = g_hash_table_new(g_str_hash, g_str_equal);
		g_autofree char *option = g_strconcat("--", wrong[i][1], ": ", NULL);
		g_autoptr(GError) error = NULL;

		g_hash_table_insert(values, (gpointer)wrong[i][1], (gpointer)wrong[i][2]);
		g_assert_null(named_bind(named_find(queries, wrong[i][0]), values, &error));
		g_assert_true(g_str_has_prefix(error->message, option));
	}
	g_assert_null(named_find(queries, "nosuch"));
	g_assert_null(named_param(named_find(queries, "leaks"), "nosuch"));
}

/* ---- several statements, and interruption ---- */

static void statements_run_one_after_another(Fixture *f, gconstpointer unused)
{
	const char *sql = "SELECT 1;;-- that's it\nSELECT 2 -- and\n";
	GError *error = NULL;

	for (int i = 1; i <= 2; i++) {
		g_autoptr(StoreRows) rows = store_query_first(f->store.db, &sql, &error);

		g_assert_no_error(error);
		g_assert_true(store_rows_next(rows));
		g_assert_cmpint(store_rows_int(rows, 0), ==, i);
	}
	g_assert_null(store_query_first(f->store.db, &sql, &error));
	g_assert_no_error(error);
	sql = "SELECT 1; DROP TABLE meta";
	store_rows_free(store_query_first(f->store.db, &sql, &error));
	g_assert_no_error(error);
	g_assert_null(store_query_first(f->store.db, &sql, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY);
	g_clear_error(&error);
}

static void running_query_is_interrupted(Fixture *f, gconstpointer unused)
{
	static const char endless[] = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
				      "SELECT count(*) FROM n";
	volatile sig_atomic_t stop = 1;

	store_stop_when(f->store.db, &stop);
	expect_error(f, endless, "interrupted");
	stop = 0;
	expect(f, "SELECT count(*) FROM live", "1");
	store_stop_when(f->store.db, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*run)(Fixture *f, gconstpointer unused);
	} tests[] = {
		{ "/functions/bytes_and_duration_format_numbers", bytes_and_duration_format_numbers },
		{ "/functions/stack_gives_its_text", stack_gives_its_text },
		{ "/functions/sym_gives_function_and_offset", sym_gives_function_and_offset },
		{ "/functions/gfp_and_order_have_names", gfp_and_order_have_names },
		{ "/functions/live_at_gives_allocations_live_at_a_time", live_at_gives_allocations_live_at_a_time },
		{ "/named/named_queries_have_help_and_run", named_queries_have_help_and_run },
		{ "/named/named_queries_give_the_known_rows", named_queries_give_the_known_rows },
		{ "/named/named_queries_reject_invalid_values", named_queries_reject_invalid_values },
		{ "/statements/statements_run_one_after_another", statements_run_one_after_another },
		{ "/statements/running_query_is_interrupted", running_query_is_interrupted },
	};

	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, Fixture, NULL, setup, tests[i].run, teardown);
	return g_test_run();
}
