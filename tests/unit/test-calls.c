// SPDX-License-Identifier: GPL-2.0-or-later
/* Call trees of traces with known figures, and the expressions that select stacks. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "report/calltree/truncated.h"
#include "report/calltree/costs.h"
#include "report/calltree/dot.h"
#include "report/groups/stackexpr.h"
#include "store/store.h"
#include "output-check.h"
#include "store-check.h"

#define START G_GUINT64_CONSTANT(1000000)
#define MS    G_GUINT64_CONSTANT(1000000)
#define SLAB  0
#define PAGE  1

static const char kallsyms[] = "ffffffff81001000 T entry\n"
			       "ffffffff81002000 t open_file\t[ext]\n"
			       "ffffffff81003000 T walk\n"
			       "ffffffff81004000 T reader.isra.0\n"
			       "ffffffff81005000 T __kmalloc\n"
			       "ffffffff81006000 T kmalloc_trace\n"
			       "ffffffff81007000 t close_file\t[ext]\n"
			       "ffffffff81008000 T _etext\n";

enum {
	ENTRY = 0x1010, OPEN = 0x2010, WALK = 0x3010, WALK_AGAIN = 0x3020, READER = 0x4010,
	KMALLOC = 0x5010, CLOSE = 0x7010,
};

typedef struct {
	struct check_store store;
	CallCosts *data;
} Fixture;

/* @symbols: kallsyms; NULL: the default. */
static void setup(Fixture *f, gconstpointer symbols)
{
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START,
			 symbols ? symbols : kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	call_costs_free(f->data);
	check_store_clear(&f->store);
}

/* A stack by its offsets, innermost first, optionally TRACE_STACK_CUT, and 0 after the last. */
static guint32 stack_of(Fixture *f, const guint *offsets)
{
	return builder_text_stack(f->store.builder, offsets);
}

static void put(Fixture *f, guint64 ms, guint8 type, guint slot, guint32 stack, guint site,
		guint32 asked, guint32 got)
{
	gboolean page = type == KMEMTRACE_EVENT_PAGE_ALLOC || type == KMEMTRACE_EVENT_PAGE_FREE;

	builder_event(f->store.builder, 0,
		      (struct trace_event){
			      .event = type,
			      .time_ns = START + ms * MS,
			      .tid = 7,
			      .node = KMEMTRACE_NODE_ANY,
			      .addr = page ? 0x90000 + slot : BASE + 0x1000000 + slot * 64,
			      .call_site = TEXT + site,
			      .stack_id = stack,
			      .bytes_req = asked,
			      .bytes_alloc = got,
		      });
}

/*
 * slab: reader 100 of 128 twice from open_file (one freed after 10 ms, at once; one live), through
 * walk twice; close_file 64, freed after 20 ms after another allocation. page: one by reader.
 * Without a stack: 32 by walk.
 */
static void put_known(Fixture *f)
{
	guint32 deep = stack_of(f, (guint[]){ KMALLOC, READER, WALK, OPEN, WALK_AGAIN, ENTRY, 0 });
	guint32 flat = stack_of(f, (guint[]){ KMALLOC, CLOSE, OPEN, ENTRY, 0 });

	put(f, 0, KMEMTRACE_EVENT_KMALLOC, 1, deep, READER, 100, 128);
	put(f, 10, KMEMTRACE_EVENT_KFREE, 1, 0, CLOSE, 0, 0);
	put(f, 10, KMEMTRACE_EVENT_KMALLOC, 2, flat, CLOSE, 64, 64);
	put(f, 20, KMEMTRACE_EVENT_KMALLOC, 3, deep, READER, 100, 128);
	put(f, 30, KMEMTRACE_EVENT_KFREE, 2, 0, CLOSE, 0, 0);
	put(f, 40, KMEMTRACE_EVENT_KMALLOC, 4, 0, WALK, 32, 32);
	put(f, 40, KMEMTRACE_EVENT_PAGE_ALLOC, 1, deep, READER, 4096, 4096);
	put(f, 50, KMEMTRACE_EVENT_PAGE_FREE, 1, deep, CLOSE, 4096, 4096);
	put(f, 60, KMEMTRACE_EVENT_KFREE, 4, 0, CLOSE, 0, 0);
}

static void load(Fixture *f, gint64 from_ns, gint64 to_ns)
{
	GError *error = NULL;

	put_known(f);
	check_store_load(&f->store);
	f->data = call_costs_read(f->store.db, CALL_METRICS_ALL, from_ns, to_ns, &error);
	g_assert_no_error(error);
}

/* ---- trees as text: "function self/total", indented by depth, children by name ---- */

static char *text_of(const CallCosts *data, const CallTree *tree, CallMetric metric)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	for (guint32 i = 0; i < calltree_count(tree); i++) {
		const CallNode *node = calltree_node(tree, i);
		g_autoptr(GString) path = g_string_new(NULL);

		for (guint32 at = i; at; at = calltree_node(tree, at)->parent) {
			g_string_prepend(path,
					 call_costs_function(data, calltree_node(tree, at)->frame));
			g_string_prepend_c(path, ';');
		}
		g_ptr_array_add(lines, g_strdup_printf("%s %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT,
						       path->str, node->self.of[metric],
						       node->total.of[metric]));
	}
	g_ptr_array_sort(lines, compare_texts);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

static void expect_tree(Fixture *f, guint kind, const CallView *view, CallMetric metric,
			const char *expected)
{
	g_autoptr(CallTree) tree = call_costs_tree(f->data, kind, view);
	g_autofree char *text = text_of(f->data, tree, metric);

	g_assert_cmpstr(text, ==, expected);
}

static void tree_has_self_and_total_bytes(Fixture *f, gconstpointer unused)
{
	load(f, -1, -1);
	expect_tree(f, SLAB, &(CallView){ 0 }, CALL_BYTES,
		    " 0/352\n"
		    ";(no stack) 0/32\n"
		    ";(no stack);walk 32/32\n"
		    ";entry 0/320\n"
		    ";entry;open_file 0/64\n"
		    ";entry;open_file;close_file 64/64\n"
		    ";entry;walk 0/256\n"
		    ";entry;walk;open_file 0/256\n"
		    ";entry;walk;open_file;walk 0/256\n"
		    ";entry;walk;open_file;walk;reader 256/256");
	expect_tree(f, PAGE, &(CallView){ 0 }, CALL_BYTES,
		    " 0/4096\n;entry 0/4096\n;entry;walk 0/4096\n;entry;walk;open_file 0/4096\n"
		    ";entry;walk;open_file;walk 0/4096\n;entry;walk;open_file;walk;reader 4096/4096");
}

static void metrics_equal_the_known_costs(Fixture *f, gconstpointer unused)
{
	/* By CallMetric. The peak is from 20 to 30 ms: 128 and 64. They live 10, 20, 40, 20 ms. */
	const gint64 expected[CALL_METRICS] = {
		352, 4, 128, 1, 192, 2, 56, 1, 128 * 10 + 64 * 20 + 128 * 40 + 32 * 20, 90000,
	};

	load(f, -1, -1);
	for (guint i = 0; i < CALL_METRICS; i++)
		g_assert_cmpint(call_costs_all(f->data, SLAB).of[i], ==, expected[i]);
	g_assert_cmpint(call_costs_peak_ns(f->data, SLAB), ==, 20 * MS);
	g_assert_cmpint(call_costs_peak_ns(f->data, 2), ==, -1);
	g_assert_cmpuint(call_costs_metrics(f->data), ==, CALL_METRICS_ALL);
}

/*
 * 4 MiB for 140 years are 1.9e19 bytes times milliseconds. Six pages lived 2.6e19 ns, but 2.6e16
 * us.
 */
static void metric_above_64_bits_is_left_out(Fixture *f, gconstpointer unused)
{
	g_autofree char *note = NULL;
	GError *error = NULL;

	put(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0, READER, 4 << 20, 4 << 20);
	for (guint slot = 2; slot < 7; slot++)
		put(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, slot, 0, READER, 4096, 4096);
	put(f, G_GUINT64_CONSTANT(140) * 365 * 24 * 3600 * 1000, KMEMTRACE_EVENT_PAGE_ALLOC, 9, 0,
	    READER, 4096, 4096);
	check_store_load(&f->store);
	f->data = call_costs_read(f->store.db, CALL_METRICS_ALL, -1, -1, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(call_costs_metrics(f->data), ==,
			 CALL_METRICS_ALL & ~CALL_METRICS_BIT(CALL_BYTE_MS));
	g_assert_cmpint(call_costs_all(f->data, PAGE).of[CALL_BYTE_MS], ==, 0);
	g_assert_cmpint(call_costs_all(f->data, PAGE).of[CALL_LIVED_US], ==,
			G_GINT64_CONSTANT(6) * 4415040000000000);
	note = call_costs_too_large(f->data);
	g_assert_cmpstr(note, ==, "Metrics: byte-seconds left out, as the sum exceeds 64 bits");
}

static void trace_without_allocations_has_no_costs(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;

	check_store_load(&f->store);
	f->data = call_costs_read(f->store.db, CALL_METRICS_ALL, -1, -1, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(call_costs_metrics(f->data), ==, CALL_METRICS_ALL);
	g_assert_cmpint(call_costs_all(f->data, SLAB).of[CALL_LIVED_US], ==, 0);
}

static void interval_counts_only_its_own_costs(Fixture *f, gconstpointer unused)
{
	const gint64 expected[CALL_METRICS] = {
		192, 2, 192, 2, 0, 0, 28, 0, 128 * 5 + 64 * 15 + 128 * 5, 25000,
	};

	load(f, 5 * MS, 25 * MS);
	g_assert_cmpuint(call_costs_metrics(f->data), ==, CALL_METRICS_INTERVAL);
	for (guint i = 0; i < CALL_METRICS; i++)
		g_assert_cmpint(call_costs_all(f->data, SLAB).of[i], ==, expected[i]);
}

/* The trace with only the allocations of an interval, and their frees at any time. */
static void restrict_to(Fixture *f, gint64 from_ns, gint64 to_ns, guint metrics)
{
	g_autofree char *from = g_strdup_printf("%" G_GINT64_FORMAT, from_ns);
	g_autofree char *to = g_strdup_printf("%" G_GINT64_FORMAT, to_ns);
	const char *params[] = { ":from", from, ":to", to, NULL };
	GError *error = NULL;

	call_costs_free(f->data);
	store_close(f->store.db);
	f->store.db = store_open(f->store.db_path, &error);
	g_assert_no_error(error);
	g_assert_true(store_restrict(f->store.db, params, &error));
	f->data = call_costs_read(f->store.db, metrics, -1, -1, &error);
	g_assert_no_error(error);
}

static void restriction_counts_only_its_allocations(Fixture *f, gconstpointer unused)
{
	/* The second and the third: 64 from 10 to 30 ms, 128 from 20 ms on. */
	const gint64 expected[CALL_METRICS] = {
		192, 2, 128, 1, 192, 2, 28, 0, 64 * 20 + 128 * 40, 60000,
	};

	load(f, -1, -1);
	restrict_to(f, 5 * MS, 25 * MS, CALL_METRICS_ALL);
	g_assert_cmpuint(call_costs_metrics(f->data), ==, CALL_METRICS_ALL);
	for (guint i = 0; i < CALL_METRICS; i++)
		g_assert_cmpint(call_costs_all(f->data, SLAB).of[i], ==, expected[i]);
	g_assert_cmpint(call_costs_peak_ns(f->data, SLAB), ==, 20 * MS);
	expect_tree(f, SLAB, &(CallView){ .from = "open_file" }, CALL_LIVE_BYTES,
		    " 0/128\n;open_file 0/128\n;open_file;close_file 0/0\n"
		    ";open_file;walk 0/128\n;open_file;walk;reader 128/128");
	restrict_to(f, 0, 20 * MS, CALL_METRICS_BIT(CALL_TEMPORARY));
	g_assert_cmpint(call_costs_all(f->data, SLAB).of[CALL_TEMPORARY], ==, 1);
	g_assert_cmpint(call_costs_all(f->data, SLAB).of[CALL_COUNT], ==, 2);
	restrict_to(f, 10 * MS, 40 * MS, CALL_METRICS_BIT(CALL_TEMPORARY));
	g_assert_cmpint(call_costs_all(f->data, SLAB).of[CALL_TEMPORARY], ==, 0);
	restrict_to(f, 0, 20 * MS, CALL_METRICS_BIT(CALL_BYTES));
	g_assert_false(call_costs_metrics(f->data) & CALL_METRICS_BIT(CALL_TEMPORARY));
	g_assert_cmpint(call_costs_all(f->data, SLAB).of[CALL_TEMPORARY], ==, 0);
}

static void inverted_tree_lists_callers(Fixture *f, gconstpointer unused)
{
	load(f, -1, -1);
	expect_tree(f, SLAB, &(CallView){ .callers = TRUE }, CALL_COUNT,
		    " 0/4\n"
		    ";close_file 0/1\n"
		    ";close_file;open_file 0/1\n"
		    ";close_file;open_file;entry 1/1\n"
		    ";reader 0/2\n"
		    ";reader;walk 0/2\n"
		    ";reader;walk;open_file 0/2\n"
		    ";reader;walk;open_file;walk 0/2\n"
		    ";reader;walk;open_file;walk;entry 2/2\n"
		    ";walk 0/1\n"
		    ";walk;(no stack) 1/1");
}

static void recursion_counts_once(Fixture *f, gconstpointer unused)
{
	load(f, -1, -1);
	expect_tree(f, SLAB, &(CallView){ .from = "wal?" }, CALL_BYTES,
		    " 0/288\n"
		    ";walk 32/288\n"
		    ";walk;open_file 0/256\n"
		    ";walk;open_file;walk 0/256\n"
		    ";walk;open_file;walk;reader 256/256");
	expect_tree(f, SLAB, &(CallView){ .from = "walk", .callers = TRUE }, CALL_BYTES,
		    " 0/288\n;walk 32/288\n;walk;entry 256/256");
	expect_tree(f, SLAB, &(CallView){ .from = "__kmalloc" }, CALL_BYTES,
		    " 0/320\n;__kmalloc 320/320");
}

static void functions_have_self_and_total(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *name;
		gint64 self, total;
	} expected[] = {
		{ "entry", 0, 320 }, { "walk", 32, 288 }, { "open_file", 0, 320 },
		{ "reader", 256, 256 }, { "close_file", 64, 64 },
	};
	g_autofree CallFunction *functions = NULL;
	guint found = 0;
	guint32 count;

	load(f, -1, -1);
	g_autoptr(CallTree) tree = call_costs_tree(f->data, SLAB, &(CallView){ 0 });

	functions = calltree_functions(tree, &count);
	for (guint32 i = 1; i < count; i++) {
		for (guint j = 0; j < G_N_ELEMENTS(expected); j++) {
			if (strcmp(call_costs_function(f->data, i), expected[j].name))
				continue;
			g_assert_cmpint(functions[i].self.of[CALL_BYTES], ==, expected[j].self);
			g_assert_cmpint(functions[i].total.of[CALL_BYTES], ==, expected[j].total);
			found++;
		}
	}
	g_assert_cmpuint(found, ==, G_N_ELEMENTS(expected));
}

static void allocators_are_shown_on_request(Fixture *f, gconstpointer unused)
{
	load(f, -1, -1);
	expect_tree(f, SLAB, &(CallView){ .from = "close_file", .allocators = TRUE }, CALL_BYTES,
		    " 0/64\n;close_file 0/64\n;close_file;__kmalloc 64/64");
}

static void frames_fold_by_module(Fixture *f, gconstpointer unused)
{
	load(f, -1, -1);
	expect_tree(f, SLAB, &(CallView){ .by_module = TRUE }, CALL_BYTES,
		    " 0/352\n"
		    ";(no stack) 0/32\n"
		    ";(no stack);[kernel] 32/32\n"
		    ";[kernel] 0/320\n"
		    ";[kernel];[ext] 64/320\n"
		    ";[kernel];[ext];[kernel] 256/256");
}

/* ---- expressions ---- */

/* The remaining bytes of slab. */
static gint64 chosen(Fixture *f, const char *focus, const char *ignore)
{
	GError *error = NULL;
	g_autoptr(StackExpr) expr = focus ? stackexpr_parse(focus, &error) : NULL;
	g_autoptr(StackExpr) not = ignore ? stackexpr_parse(ignore, &error) : NULL;

	g_assert_no_error(error);
	g_autoptr(CallTree) tree =
		call_costs_tree(f->data, SLAB, &(CallView){ .focus = expr, .ignore = not });

	return calltree_node(tree, 0)->total.of[CALL_BYTES];
}

static void focus_and_ignore_select_stacks(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *focus;
		gint64 bytes;
	} cases[] = {
		{ "reader", 256 }, { "reader.isra.0", 256 }, { "read", 0 }, { "read*", 256 },
		{ "walk", 288 }, { "walk and not entry", 32 }, { "entry and (reader or close_file)", 320 },
		{ "not (reader or close_file)", 32 }, { "reader or close_file and walk", 256 },
		{ "(reader or close_file) and walk", 256 }, { "[ext]", 320 }, { "kmalloc", 352 },
		{ "__kmalloc", 320 }, { "page_alloc", 0 }, { "'walk'", 288 }, { "\"wal?\"", 288 },
		{ "not not reader", 256 }, { "[kernel] and not [ext]", 32 },
	};

	load(f, -1, -1);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_cmpint(chosen(f, cases[i].focus, NULL), ==, cases[i].bytes);
		g_assert_cmpint(chosen(f, NULL, cases[i].focus), ==, 352 - cases[i].bytes);
	}
	g_assert_cmpint(chosen(f, "walk", "entry"), ==, 32);
}

static void invalid_expression_is_rejected(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "column 1: expected a name, 'not' or '(', not the end" },
		{ "foo and", "column 8: expected a name, 'not' or '(', not the end" },
		{ "foo bar", "column 5: expected 'and', 'or' or the end, not 'bar'" },
		{ "(foo", "column 5: expected 'and', 'or' or ')', not the end" },
		{ "foo)", "column 4: expected 'and', 'or' or the end, not ')'" },
		{ "and foo", "column 1: expected a name, 'not' or '(', not 'and'" },
		{ "'foo", "column 1: this name lacks its closing quote" },
		{ "foo or \"\"", "column 8: an empty name" },
		{ "ä and ", "column 7: expected a name, 'not' or '(', not the end" },
		{ "a or \xff", "column 6: this name is not valid UTF-8" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(stackexpr_parse(cases[i].text, &error));
		g_assert_cmpstr(error->message, ==, cases[i].error);
	}
}

static void depth_and_names_of_expression_are_limited(void)
{
	g_autoptr(GString) deep = g_string_new(NULL), many = g_string_new("a0");
	g_autoptr(GError) error = NULL;
	StackExpr *expr;

	for (guint i = 0; i < 100000; i++)
		g_string_append(deep, i % 2 ? "(" : "not ");
	g_assert_null(stackexpr_parse(deep->str, &error));
	g_assert_nonnull(strstr(error->message, "nested deeper than 64"));
	g_clear_error(&error);
	for (guint i = 1; i < 64; i++)
		g_string_append_printf(many, " or a%u", i);
	expr = stackexpr_parse(many->str, &error);
	g_assert_no_error(error);
	g_assert_true(stackexpr_holds(expr, stackexpr_names(expr, "a63")));
	g_assert_false(stackexpr_holds(expr, stackexpr_names(expr, "a64")));
	stackexpr_free(expr);
	g_string_append(many, " or a64");
	g_assert_null(stackexpr_parse(many->str, &error));
	g_assert_nonnull(strstr(error->message, "more than 64 different names"));
}

/* ---- graphs ---- */

static const char hostile[] = "ffffffff81001000 T entry\n"
			      "ffffffff81002000 t open\\\"&quot;\t[e\"x]\n"
			      "ffffffff81003000 T walk\n"
			      "ffffffff81004000 T read\033[31mer\n"
			      "ffffffff81005000 T __kmalloc\n"
			      "ffffffff81007000 t close<b>\t[ext]\n"
			      "ffffffff81008000 T _etext\n";

/* For free(). */
static char *dot_of(Fixture *f, const CallsOptions *options, CallDotNotes *notes)
{
	const CallDot dot = { options, "Trace: \"t\"\\n\nTrust: complete\n", "" };

	return CHECK_OUTPUT(calldot_print(f->store.db, &dot, out, notes, &error));
}

/* A name can't end its quotes, or contain an escape sequence for labels or terminals. */
static void dot_escapes_names(Fixture *f, gconstpointer unused)
{
	const CallsOptions options = { .kind = -1 };
	g_auto(CallDotNotes) notes = { 0 };
	g_autofree char *text = NULL;

	load(f, -1, -1);
	text = dot_of(f, &options, &notes);
	check_has(text, "label=\"Trace: \\\"t\\\"\\\\n\\lTrust: complete\\l");
	check_has(text, "[label=\"open\\\\\\\"&amp;quot;\\n[e\\\"x]\\n320, 90.9%\\nself 0\"");
	check_has(text, "tooltip=\"close<b> [ext]\"");
	g_assert_null(strchr(text, '\033'));
	g_assert_cmpstr(notes.others, ==, "page");
}

/* walk() is in a stack twice; its allocation without a stack is its self cost. */
static void dot_counts_recursion_once(Fixture *f, gconstpointer unused)
{
	const CallsOptions options = { .kind = 0 };
	g_auto(CallDotNotes) notes = { 0 };
	g_autofree char *text = NULL;

	load(f, -1, -1);
	text = dot_of(f, &options, &notes);
	check_has(text, "[label=\"walk\\n288, 81.8%\\nself 32, 9.1%\"");
	check_has(text, "tooltip=\"open_file [ext] -> walk\", labeltooltip=\"open_file [ext] -> walk\", penwidth=");
	check_has(text, "amount=\"256\"");
	check_has(text, "everything: 352, 100.0%");
	g_assert_null(strstr(text, "amount=\"512\""));
	g_assert_cmpstr(notes.others, ==, "");
}

/* A dotted edge stands for a path through omitted functions. */
static void dot_keeps_paths_through_omitted_functions(Fixture *f, gconstpointer unused)
{
	const CallsOptions options = { .kind = 0, .metric = CALL_BYTES,
				       .lines = 2 };
	g_auto(CallDotNotes) notes = { 0 };
	g_autofree char *text = NULL;

	load(f, -1, -1);
	text = dot_of(f, &options, &notes);	/* entry() and open_file() */
	check_has(text, "left out: 4 of 6 functions and 6 of 7 calls");
	check_has(text, "style=dotted, amount=\"256\"");
	check_has(text, "; dotted: through functions that are left out");
}

/* The deepest stack has 6 frames and begins in entry(), which is not a known kernel entry. */
static void truncated_stacks_are_reported(Fixture *f, gconstpointer unused)
{
	g_autofree char *all = NULL, *page = NULL, *percpu = NULL, *any = NULL;
	Truncated cut;

	load(f, -1, -1);
	truncated_find(f->data, &cut);
	g_assert_cmpuint(cut.depth, ==, 6);
	g_assert_cmpint(cut.kinds[SLAB].of[CALL_BYTES], ==, 256);
	g_assert_cmpint(cut.kinds[SLAB].of[CALL_LIVE_COUNT], ==, 1);
	g_assert_cmpint(cut.kinds[PAGE].of[CALL_BYTES], ==, 4096);
	all = truncated_describe(f->data, &cut, -1, CALL_BYTES);
	g_assert_cmpstr(all, ==,
			"Stacks: CUT at 6 frames for 73% of slab, 100% of page (bytes allocated): "
			"their outer frames are missing; record --stack-depth 128 keeps more");
	page = truncated_describe(f->data, &cut, PAGE, CALL_COUNT);
	g_assert_true(g_str_has_prefix(page, "Stacks: CUT at 6 frames for 100% of page (allocations)"));
	percpu = truncated_describe(f->data, &cut, 2, CALL_BYTES);
	g_assert_null(percpu);
	any = truncated_describe(f->data, &cut, SLAB, CALL_METRICS);
	g_assert_true(g_str_has_prefix(any, "Stacks: CUT at 6 frames for 100% of slab (in one metric"));
}

/* The same stacks are complete if the outermost function is a kernel entry… */
static const char with_entry[] = "ffffffff81001000 T entry_SYSCALL_64_after_hwframe\n"
				 "ffffffff81002000 T _etext\n";
/* …and can't be judged if it has no name. */
static const char without_names[] = "ffffffff81002000 T open_file\n"
				    "ffffffff81009000 T _etext\n";

static void whole_stacks_are_not_reported(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;
	Truncated cut;

	load(f, -1, -1);
	truncated_find(f->data, &cut);
	g_assert_cmpuint(cut.depth, ==, 6);
	g_assert_cmpint(cut.kinds[SLAB].of[CALL_COUNT], ==, 0);
	text = truncated_describe(f->data, &cut, -1, CALL_METRICS);
	g_assert_null(text);
}

/* The tracer marks the stacks that it cut. */
static void truncated_stacks_share_a_root(Fixture *f, gconstpointer unused)
{
	guint32 cut_in_walk = stack_of(f, (guint[]){ KMALLOC, READER, WALK, TRACE_STACK_CUT, 0 });
	guint32 cut_in_open = stack_of(f, (guint[]){ KMALLOC, CLOSE, OPEN, TRACE_STACK_CUT, 0 });
	g_autofree char *text = NULL;
	Truncated cut;

	(void)unused;
	put(f, 1, KMEMTRACE_EVENT_KMALLOC, 11, cut_in_walk, READER, 500, 512);
	put(f, 2, KMEMTRACE_EVENT_KMALLOC, 12, cut_in_open, CLOSE, 1000, 1024);
	check_store_load(&f->store);
	f->data = call_costs_read(f->store.db, CALL_METRICS_ALL, -1, -1, NULL);
	expect_tree(f, SLAB, &(CallView){ 0 }, CALL_BYTES,
		    " 0/1536\n"
		    ";… (cut) 0/1536\n"
		    ";… (cut);open_file 0/1024\n"
		    ";… (cut);open_file;close_file 1024/1024\n"
		    ";… (cut);walk 0/512\n"
		    ";… (cut);walk;reader 512/512");
	truncated_find(f->data, &cut);
	text = truncated_describe(f->data, &cut, -1, CALL_BYTES);
	g_assert_cmpstr(text, ==,
			"Stacks: CUT at 3 frames for 100% of slab (bytes allocated): their outer "
			"frames are missing; record --stack-depth 128 keeps more");
}

/* Also a stack with as many addresses as the tracer keeps. */
static void deepest_truncated_stack_is_marked(Fixture *f, gconstpointer unused)
{
	guint64 addrs[TRACE_STACK_MAX];
	guint32 stack;

	(void)unused;
	for (guint i = 0; i < KMEMTRACE_STACK_DEPTH_MAX; i++)
		addrs[i] = TEXT + (i ? WALK : READER);
	addrs[KMEMTRACE_STACK_DEPTH_MAX] = TRACE_STACK_CUT;
	stack = builder_stack(f->store.builder, addrs, G_N_ELEMENTS(addrs));
	put(f, 1, KMEMTRACE_EVENT_KMALLOC, 11, stack, READER, 500, 512);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT level, addr FROM stack_frames ORDER BY level DESC LIMIT 1",
		  "128|0x1");
}

#define ADD(name) g_test_add("/calls/" #name, Fixture, NULL, setup, name, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD(tree_has_self_and_total_bytes);
	ADD(metrics_equal_the_known_costs);
	ADD(metric_above_64_bits_is_left_out);
	ADD(trace_without_allocations_has_no_costs);
	ADD(interval_counts_only_its_own_costs);
	ADD(restriction_counts_only_its_allocations);
	ADD(inverted_tree_lists_callers);
	ADD(recursion_counts_once);
	ADD(functions_have_self_and_total);
	ADD(allocators_are_shown_on_request);
	ADD(frames_fold_by_module);
	ADD(focus_and_ignore_select_stacks);
	ADD(dot_counts_recursion_once);
	ADD(dot_keeps_paths_through_omitted_functions);
	g_test_add("/calls/dot_escapes_names", Fixture, hostile, setup,
		   dot_escapes_names, teardown);
	ADD(truncated_stacks_are_reported);
	g_test_add("/calls/whole_stacks_are_not_reported", Fixture, with_entry, setup,
		   whole_stacks_are_not_reported, teardown);
	g_test_add("/calls/unnamed_stacks_are_not_reported", Fixture, without_names, setup,
		   whole_stacks_are_not_reported, teardown);
	ADD(truncated_stacks_share_a_root);
	ADD(deepest_truncated_stack_is_marked);
	g_test_add_func("/calls/invalid_expression_is_rejected", invalid_expression_is_rejected);
	g_test_add_func("/calls/depth_and_names_of_expression_are_limited", depth_and_names_of_expression_are_limited);
	return g_test_run();
}
