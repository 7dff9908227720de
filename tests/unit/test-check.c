// SPDX-License-Identifier: GPL-2.0-or-later
/* Conditions: their syntax and results, and the figures of a known trace. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/check/check.h"
#include "report/select/select.h"
#include "output-check.h"
#include "store-check.h"

#define SECOND	G_GUINT64_CONSTANT(1000000000)

static const char kallsyms[] = "ffffffff81001000 t reader.part.0\n"
			       "ffffffff81002000 T writer\n"
			       "ffffffff81003000 T start\n"
			       "ffffffff81004000 T _etext\n";

enum { READER = 0x1010, WRITER = 0x2010, START = 0x3010 };

/* ---- the language ---- */

static const ExprName names[] = {
	{ "a", EXPR_BYTES, TRUE, "" }, { "b", EXPR_COUNT, FALSE, "" }, { "t", EXPR_TIME, TRUE, "" },
};

static LogicResult holds(const char *text, double a, double b, double t)
{
	GError *error = NULL;
	g_autoptr(Expr) expr = expr_parse(text, names, G_N_ELEMENTS(names), &error);
	double values[8];

	g_assert_no_error(error);
	for (guint i = 0; i < expr_figures(expr); i++) {
		const char *name = expr_figure(expr, i)->name->name;

		values[i] = *name == 'a' ? a : *name == 'b' ? b : t;
	}
	return expr_holds(expr, values);
}

static void expr_follows_precedence(void)
{
	g_assert_cmpint(holds("a > 1 or b > 1 and t > 1ns", 2, 0, 0), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("(a > 1 or b > 1) and t > 1ns", 2, 0, 0), ==, LOGIC_FALSE);
	g_assert_cmpint(holds("not a > 1 and b = 0", 1, 0, 0), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("not (a > 1 or b = 0)", 1, 0, 0), ==, LOGIC_FALSE);
	g_assert_cmpint(holds("not not a>1", 2, 0, 0), ==, LOGIC_TRUE);
}

static void expr_scales_units(void)
{
	g_assert_cmpint(holds("a = 64K", 65536, 0, 0), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("a = 1.5M", 1572864, 0, 0), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("1G <= a", 1 << 30, 0, 0), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("t = 2ms", 0, 0, 2e6), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("t == 3us and t < 1s and t < 1m and t < 1h", 0, 0, 3e3), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("t > 0", 0, 0, 1), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("b >= 10K", 0, 10240, 0), ==, LOGIC_TRUE);
}

static void expr_compares_by_operator(void)
{
	static const struct {
		const char *op;
		LogicResult less, same, more;
	} ops[] = {
		{ "<", 1, 0, 0 }, { "<=", 1, 1, 0 }, { "=", 0, 1, 0 }, { "==", 0, 1, 0 },
		{ "!=", 1, 0, 1 }, { ">=", 0, 1, 1 }, { ">", 0, 0, 1 },
	};

	for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
		g_autofree char *text = g_strdup_printf("a%s5", ops[i].op);

		g_assert_cmpint(holds(text, 4, 0, 0), ==, ops[i].less);
		g_assert_cmpint(holds(text, 5, 0, 0), ==, ops[i].same);
		g_assert_cmpint(holds(text, 6, 0, 0), ==, ops[i].more);
	}
}

static void unknown_figure_gives_unknown_result(void)
{
	g_assert_cmpint(holds("t > 1ms", 0, 0, NAN), ==, LOGIC_UNKNOWN);
	g_assert_cmpint(holds("not t > 1ms", 0, 0, NAN), ==, LOGIC_UNKNOWN);
	g_assert_cmpint(holds("t > 1ms or a = 0", 0, 0, NAN), ==, LOGIC_TRUE);
	g_assert_cmpint(holds("t > 1ms and a = 1", 0, 0, NAN), ==, LOGIC_FALSE);
	g_assert_cmpint(holds("t > 1ms or a = 1", 0, 0, NAN), ==, LOGIC_UNKNOWN);
}

static void expr_keeps_site_and_cache(void)
{
	static const char text[] = "a site( \"x*\" ) cache (\"y z\") > b and b > a";
	g_autoptr(Expr) expr = expr_parse(text, names, 2, NULL);

	g_assert_cmpuint(expr_figures(expr), ==, 4);
	g_assert_cmpstr(expr_figure(expr, 0)->site, ==, "x*");
	g_assert_cmpstr(expr_figure(expr, 0)->cache, ==, "y z");
	g_assert_cmpstr(expr_figure(expr, 0)->text, ==, "a site( \"x*\" ) cache (\"y z\")");
	g_assert_null(expr_figure(expr, 3)->site);
	g_assert_cmpstr(expr_figure(expr, 3)->text, ==, "a");
}

static void expr_error_names_the_column(void)
{
	static const struct {
		const char *text, *error;
	} wrong[] = {
		{ "", "column 1: the end: expected a figure or a number" },
		{ "a > ", "column 5: the end: expected a figure or a number" },
		{ "a >> 1", "column 4: '>': expected a figure or a number" },
		{ "a 1", "column 3: '1': expected <, <=, =, !=, >= or >" },
		{ "a > 1 b", "column 7: 'b': expected 'and', 'or' or the end" },
		{ "(a > 1", "column 7: the end: expected ')'" },
		{ "a > 1)", "column 6: ')': expected 'and', 'or' or the end" },
		{ "nosuch > 1", "column 1: unknown figure 'nosuch' (--list shows all)" },
		{ "a > 1X", "column 6: invalid unit 'X' (expected K, M, G, ns, us, ms, s, m or h)" },
		{ "a > 1e5", "column 6: invalid unit 'e5' (expected K, M, G, ns, us, ms, s, m or h)" },
		{ "a > 1.2.3", "column 8: invalid unit '.3' (expected K, M, G, ns, us, ms, s, m or h)" },
		{ "a > 99999999999999999999", "column 5: the number is too large" },
		{ "t > 5", "column 5: a time is needed here: a number with the suffix ns, us, ms, s, m or h" },
		{ "a > 5s", "column 5: a time can only be compared with a time" },
		{ "b site(\"x\") > 1", "column 3: b is a figure of the whole trace, not of a site or a cache" },
		{ "a site(\"x\") site(\"y\") > 1", "column 13: a second site()" },
		{ "a site(x) > 1", "column 8: 'x': expected a name in double quotes" },
		{ "a site \"x\" > 1", "column 8: '\"': expected (\"name\")" },
		{ "a site(\"x > 1", "column 8: this name lacks its closing quote" },
		{ "a site(\"\") > 1", "column 8: an empty name" },
		{ "a site(\"x\" > 1", "column 12: '>': expected ')'" },
		{ "a > 1 and \xc3\xa4 > 1", "column 11: a letter that is not ASCII: expected a figure or a number" },
		{ "a site(\"\xc3\xa4\") < > 1", "column 15: '>': expected a figure or a number" },
		{ "a site(\"\xff\") > 1", "column 8: this name is not valid UTF-8" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Expr) expr =
			expr_parse(wrong[i].text, names, G_N_ELEMENTS(names), &error);

		g_assert_null(expr);
		g_assert_cmpstr(error->message, ==, wrong[i].error);
	}
}

static void depth_of_expr_is_limited(void)
{
	g_autofree char *deep = g_strnfill(1000000, '(');
	g_autoptr(GString) text = g_string_new("a > 0");
	g_autoptr(GError) error = NULL;
	g_autoptr(Expr) expr = NULL;

	g_assert_null(expr_parse(deep, names, 1, &error));
	g_assert_cmpstr(error->message, ==, "column 65: 'not' and '(' are nested deeper than 64");
	for (guint i = 0; i < 20000; i++)
		g_string_append(text, " or 1 > 0");
	expr = expr_parse(text->str, names, 1, NULL);
	g_assert_nonnull(expr);
	g_assert_cmpint(expr_holds(expr, (const double[]){ 0 }), ==, LOGIC_TRUE);
}

/* ---- figures of a trace ---- */

typedef struct {
	struct check_store store;
	char *suppressions;
	guint64 now;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	f->suppressions = g_build_filename(f->store.folder, "suppressions", NULL);
	f->now = SECOND;
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START, "page_size 4096\n");
	builder_snapshot(f->store.builder, "caches", KMEMTRACE_PHASE_END, "1 64 small\n2 256 large\n");
	builder_snapshot(f->store.builder, "cache_aliases", KMEMTRACE_PHASE_END,
			 ":0000064 small\n:0000064 tiny\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	g_unlink(f->suppressions);
	g_free(f->suppressions);
	check_store_clear(&f->store);
}

static void put(Fixture *f, guint64 step, struct trace_event event)
{
	f->now += step;
	event.time_ns = f->now;
	event.node = KMEMTRACE_NODE_ANY;
	event.tid = 7;
	builder_event(f->store.builder, 0, event);
}

static void put_object(Fixture *f, guint64 step, guint64 addr, guint64 site, guint16 cache,
		       guint32 bytes)
{
	const uint64_t stack[] = { TEXT + site, TEXT + START };

	put(f, step, (struct trace_event){ .event = KMEMTRACE_EVENT_CACHE_ALLOC, .addr = addr,
					   .call_site = TEXT + site, .cache = cache,
					   .bytes_req = bytes, .bytes_alloc = bytes,
					   .stack_id = builder_stack(f->store.builder, stack, 2) });
}

static void put_free(Fixture *f, guint64 step, guint64 addr)
{
	put(f, step, (struct trace_event){ .event = KMEMTRACE_EVENT_CACHE_FREE, .addr = addr,
					   .call_site = TEXT + START });
}

/*
 * 100 allocations that lived 1 to 100 us. Live ones: at 0 s two small, a large and a page; at 4 s
 * one small.
 */
static StoreDb *known(Fixture *f)
{
	put_object(f, 0, BASE, READER, 1, 64);
	put_object(f, 0, BASE + 64, READER, 1, 64);
	put_object(f, 0, BASE + 256, WRITER, 2, 256);
	put(f, 0,
	    (struct trace_event){.event = KMEMTRACE_EVENT_PAGE_ALLOC,
				 .addr = 0x100,
				 .call_site = TEXT + START,
				 .bytes_req = 4096,
				 .bytes_alloc = 4096});
	for (guint i = 1; i <= 100; i++) {
		put_object(f, 1000, BASE + 4096, WRITER, 2, 256);
		put_free(f, 1000 * (101 - i), BASE + 4096);
	}
	f->now = 5 * SECOND;
	put_object(f, 0, BASE + 128, READER, 1, 64);
	put_object(f, SECOND, BASE + 8192, START, 1, 64);
	put_free(f, 0, BASE + 8192);
	check_store_load(&f->store);
	return f->store.db;
}

static double get(StoreDb *db, const Suppress *suppress, const char *figure)
{
	g_autofree char *text = g_strconcat(figure, " >= 0", NULL);
	guint count;
	const ExprName *all = figures_names(&count);
	GError *error = NULL;
	g_autoptr(Expr) expr = expr_parse(text, all, count, &error);
	g_autoptr(Figures) figures = figures_read(db, 2 * SECOND, suppress, &error);
	double value = -1;

	g_assert_no_error(error);
	figures_get(figures, expr_figure(expr, 0), &value, &error);
	g_assert_no_error(error);
	return value;
}

static void figures_equal_the_known_values(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *figure;
		double value;
	} truth[] = {
		{ "leaked_slab", 384 }, { "leaked_count_slab", 3 }, { "leaked_page", 4096 },
		{ "leaked", 4096 }, { "leaked_count", 3 }, { "leaked_percpu", 0 },
		{ "leaked site(\"reader\")", 128 }, { "leaked site(\"reader.part.0\")", 128 },
		{ "leaked site(\"*er*\") cache(\"large\")", 256 }, { "leaked site(\"nosuch\")", 0 },
		{ "live_slab", 448 }, { "live_count_slab", 4 }, { "live cache(\"small\")", 192 },
		{ "live cache(\"tiny\")", 192 }, { "live cache(\"t*\")", 192 }, { "live cache(\"nosuch\")", 0 },
		{ "allocs_slab", 105 }, { "allocs_page", 1 }, { "bytes_slab", 26112 }, { "waste", 0 },
		{ "lifetime_p50", 50000 }, { "lifetime_p95_slab", 95000 },
		{ "lifetime_p99 site(\"writer\")", 99000 }, { "lifetime_p99_slab", 99000 },
		{ "lifetime_max", 100000 }, { "lifetime_p50 cache(\"small\")", 0 },
		{ "lost", 0 }, { "missing", 0 }, { "unseen", 0 }, { "failed", 0 }, { "events", 207 }, { "span", 5e9 },
	};
	StoreDb *db = known(f);

	for (guint i = 0; i < G_N_ELEMENTS(truth); i++) {
		double value = get(db, NULL, truth[i].figure);

		if (value != truth[i].value)
			g_error("%s is %g, not %g", truth[i].figure, value, truth[i].value);
	}
	g_assert_true(isnan(get(db, NULL, "lifetime_p50_page")));
}

/* The trace of known() is made as if it had all. */
static void figures_of_untraced_kinds_are_unknown(Fixture *f, gconstpointer unused)
{
	static const char *const unknown[] = { "allocs_slab", "leaked_percpu", "live_slab", "waste" };
	StoreDb *db;

	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_END, "page vmalloc\n");
	db = known(f);
	for (guint i = 0; i < G_N_ELEMENTS(unknown); i++)
		g_assert_true(isnan(get(db, NULL, unknown[i])));
	g_assert_cmpfloat(get(db, NULL, "leaked"), ==, 4096);
	g_assert_cmpfloat(get(db, NULL, "allocs_page"), ==, 1);
	g_assert_cmpfloat(get(db, NULL, "allocs_vmalloc"), ==, 0);
}

/* At the start, another cache was merged with the one that is merged with this at the end. */
static void cache_filter_selects_what_its_figure_counts(Fixture *f, gconstpointer unused)
{
	Selection selection = { .filter = { [SELECT_CACHE] = "small" } };
	GError *error = NULL;
	StoreDb *db;

	builder_snapshot(f->store.builder, "cache_aliases", KMEMTRACE_PHASE_START,
			 ":0000096 large\n:0000096 tiny\n");
	db = known(f);
	g_assert_cmpfloat(get(db, NULL, "live_slab cache(\"small\")"), ==, 448);
	g_assert_true(select_restrict(db, &selection, &error));
	g_assert_no_error(error);
	g_assert_cmpfloat(get(db, NULL, "live_slab"), ==, 448);
}

static void suppressions_match_function_and_cache(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *text;
		double leaked, suppressed, count;
	} files[] = {
		{ "# nothing\n\n   # at all", 384, 0, 0 },
		{ "reader\n", 256, 128, 2 },
		{ "  write? # a function\r\n", 128, 256, 1 },
		{ "star*", 0, 384, 3 },
		{ "cache:small", 256, 128, 2 },
		{ "cache:ti?y", 256, 128, 2 },
		{ "cache:reader\nsmall", 384, 0, 0 },
		{ "cache:l*\nreader.part.0", 0, 384, 3 },
	};
	StoreDb *db = known(f);
	GError *error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(Suppress) suppress = NULL;

		g_file_set_contents(f->suppressions, files[i].text, -1, NULL);
		suppress = suppress_read(f->suppressions, &error);
		g_assert_no_error(error);
		g_assert_cmpfloat(get(db, suppress, "leaked_slab"), ==, files[i].leaked);
		g_assert_cmpfloat(get(db, suppress, "suppressed_slab"), ==, files[i].suppressed);
		g_assert_cmpfloat(get(db, suppress, "suppressed_count_slab"), ==, files[i].count);
		g_assert_cmpfloat(get(db, suppress, "live_slab"), ==, 448);
	}
}

static void invalid_suppressions_are_rejected(Fixture *f, gconstpointer unused)
{
	static const char *const wrong[][2] = {
		{ "fine\ncache:\n", "suppressions:2: a cache without a name (expected" },
		{ "two words", "suppressions:1: a blank in a pattern (expected" },
		{ "\xff", "suppressions is not a text file" },
	};
	GError *error = NULL;

	builder_finish(f->store.builder);
	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_file_set_contents(f->suppressions, wrong[i][0], -1, NULL);
		g_assert_null(suppress_read(f->suppressions, &error));
		g_assert_nonnull(strstr(error->message, wrong[i][1]));
		g_clear_error(&error);
	}
	g_assert_null(suppress_read("/nonexistent", &error));
	g_clear_error(&error);
}

/* ---- the answer ---- */

/* The output for @texts, which end with NULL; leaked: older than 2 s. For free(). */
static char *check(StoreDb *db, const char *const *texts, const Suppress *suppress, gboolean json,
		   ConditionResult *result)
{
	g_autoptr(GPtrArray) conditions = g_ptr_array_new_with_free_func((GDestroyNotify)expr_free);
	CheckOptions options = { .name = "t.kmt", .conditions = &(Conditions){ conditions, texts },
				 .older_ns = 2 * SECOND, .suppress = suppress, .json = json };
	guint count;
	const ExprName *all = figures_names(&count);

	for (; *texts; texts++) {
		GError *error = NULL;

		g_ptr_array_add(conditions, expr_parse(*texts, all, count, &error));
		g_assert_no_error(error);
	}
	return CHECK_OUTPUT(check_print(db, &options, out, result, &error));
}

static void check_reports_result_of_each_condition(Fixture *f, gconstpointer unused)
{
	static const char *const conditions[] = {
		"leaked_slab > 384", "leaked_slab >= 384 and lost = 0", "lifetime_max_page > 1s",
		"span > 4s or lifetime_max_page > 1s", "not live_count_slab = 4", NULL
	};
	StoreDb *db = known(f);
	ConditionResult result;
	char *text = check(db, conditions, NULL, FALSE, &result);

	g_assert_cmpstr(text, ==,
			"Trace: t.kmt\nTrust: complete; no event was lost\n"
			"(leaked: what is live at the end, and older than 2s or left by an unloaded module)\n"
			"ok       leaked_slab > 384: leaked_slab is 384\n"
			"FAILED   leaked_slab >= 384 and lost = 0: leaked_slab is 384, lost is 0\n"
			"unknown  lifetime_max_page > 1s: lifetime_max_page is unknown: no such allocation was freed, or its kind was not traced\n"
			"FAILED   span > 4s or lifetime_max_page > 1s: span is 5.00s, lifetime_max_page is unknown: "
			"no such allocation was freed, or its kind was not traced\n"
			"ok       not live_count_slab = 4: live_count_slab is 4\n");
	g_assert_cmpuint(result.failed, ==, 2);
	g_assert_false(result.incomplete);
	free(text);
}

static void check_json_has_conditions_and_suppressed(Fixture *f, gconstpointer unused)
{
	static const char *const conditions[] = {
		"leaked_slab site(\"reader\") > 1K", "lifetime_p50_page < 1s", NULL
	};
	StoreDb *db = known(f);
	g_autoptr(Suppress) suppress = NULL;
	ConditionResult result;
	g_autofree char *text = NULL;

	g_file_set_contents(f->suppressions, "cache:large", -1, NULL);
	suppress = suppress_read(f->suppressions, NULL);
	text = check(db, conditions, suppress, TRUE, &result);
	g_assert_true(g_str_has_prefix(text, "{\n\"trust\": [\n{\"lost_events\":0,"));
	check_has(text, "\"complete\":1}\n],\n\"name\": \"t.kmt\",\n\"older_ns\": 2000000000,\n\"conditions\": [");
	check_has(text, "\"fail_if\" : \"leaked_slab site(\\\"reader\\\") > 1K\",\n\t\t\"result\" : \"ok\"");
	check_has(text, "\"unit\" : \"bytes\",\n\t\t\t\t\"value\" : 128\n");
	check_has(text, "\"result\" : \"unknown\"");
	check_has(text, "\"unit\" : \"time_ns\",\n\t\t\t\t\"value\" : null\n");
	check_has(text, "\"slab\" : {\n\t\t\"bytes\" : 256,\n\t\t\"count\" : 1\n");
	g_assert_cmpuint(result.failed, ==, 0);
}

static void check_reports_lost_events(Fixture *f, gconstpointer unused)
{
	static const char *const conditions[] = { "lost > 6", "lost > 7", NULL };
	StoreDb *db;
	ConditionResult result;
	g_autofree char *text = NULL;

	put_object(f, 0, BASE + 65536, START, 1, 64);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 7);
	builder_flush(f->store.builder, 0);
	db = known(f);
	text = check(db, conditions, NULL, FALSE, &result);
	check_has(text, "Trust: INCOMPLETE: 7 events were lost: live memory may have been freed unseen\n");
	check_has(text, "FAILED   lost > 6: lost is 7\nok       lost > 7: lost is 7\n");
	g_assert_cmpuint(result.failed, ==, 1);
	g_assert_true(result.incomplete);
}

/* One in 8 was traced: conditions apply to all. Shares and times are not scaled. */
static void check_scales_sampled_figures(Fixture *f, gconstpointer unused)
{
	static const char *const conditions[] = {
		"leaked_count_slab = 24 and leaked_slab = 3072 and leaked_page = 32768 and "
		"allocs_slab = 840 and live_slab = 3584 and lifetime_max = 100us and events = 207", NULL
	};
	StoreDb *db;
	ConditionResult result;
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START, "sample 8\n");
	db = known(f);
	text = check(db, conditions, NULL, FALSE, &result);
	check_has(text, "  1 in 8 SAMPLED: counts and bytes below are scaled by 8: what reuses few addresses is missing, or counts up to 8 times\n");
	check_has(text, "FAILED   leaked_count_slab = 24 ");
	g_assert_cmpuint(result.failed, ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD_EXPR(test) g_test_add_func("/check/" #test, test)
	ADD_EXPR(expr_follows_precedence);
	ADD_EXPR(expr_scales_units);
	ADD_EXPR(expr_compares_by_operator);
	ADD_EXPR(unknown_figure_gives_unknown_result);
	ADD_EXPR(expr_keeps_site_and_cache);
	ADD_EXPR(expr_error_names_the_column);
	ADD_EXPR(depth_of_expr_is_limited);
#define ADD(test) g_test_add("/check/" #test, Fixture, NULL, setup, test, teardown)
	ADD(figures_equal_the_known_values);
	ADD(figures_of_untraced_kinds_are_unknown);
	ADD(cache_filter_selects_what_its_figure_counts);
	ADD(suppressions_match_function_and_cache);
	ADD(invalid_suppressions_are_rejected);
	ADD(check_reports_result_of_each_condition);
	ADD(check_json_has_conditions_and_suppressed);
	ADD(check_reports_lost_events);
	ADD(check_scales_sampled_figures);
	return g_test_run();
}
