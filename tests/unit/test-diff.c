// SPDX-License-Identifier: GPL-2.0-or-later
/* diff, and the tables of perf kmem, on known traces. */
#include <glib.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/diff.h"
#include "report/groups/merged_caches.h"
#include "report/select/select.h"
#include "report/summary/perfkmem.h"
#include "symbols/symbols.h"
#include "output-check.h"
#include "trace-builder.h"

/* Two builds of one kernel: functions have other addresses and other compiler suffixes. */
static const char *const kallsyms[] = {
	"ffffffff81001000 t eater.isra.0\nffffffff81002000 T caller\nffffffff81003000 t gone\n"
	"ffffffff81004000 T _etext\n",
	"ffffffff81001000 T caller\nffffffff81002000 t eater.constprop.0.cold\nffffffff81003000 t come\t[mod]\n"
	"ffffffff81004000 T _etext\n",
};

typedef struct {
	guint64 eater, caller, other;	/* return addresses */
} Build;

static const Build builds[] = {
	{ TEXT + 0x1010, TEXT + 0x2010, TEXT + 0x3010 },
	{ TEXT + 0x2040, TEXT + 0x1040, TEXT + 0x3040 },
};

typedef struct {
	char *dir, *kmt[2], *db[2];
	struct builder *builder;
	guint64 now, addr;
	ConditionResult result;
	gboolean reverse;	/* from the second trace to the first */
	const char *const *fail_if; /* conditions, terminated by NULL; NULL: none */
	const char *site, *focus, *cache; /* filters; NULL: none */
	const char *caches[2], *aliases[2]; /* texts of each trace; NULL: none */
	const char *texts[2][2];	/* "events" and "paths" of each trace; NULL: none */
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	f->dir = g_dir_make_tmp("kmemtrace-diff-XXXXXX", NULL);
	for (guint i = 0; i < 2; i++) {
		f->kmt[i] = g_strdup_printf("%s/%u.kmt", f->dir, i);
		f->db[i] = g_strdup_printf("%s/%u.db", f->dir, i);
	}
}

static void teardown(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < 2; i++) {
		g_unlink(f->kmt[i]);
		g_unlink(f->db[i]);
		g_free(f->kmt[i]);
		g_free(f->db[i]);
	}
	g_rmdir(f->dir);
	g_free(f->dir);
}

static void begin(Fixture *f, guint build)
{
	f->builder = builder_new(f->kmt[build]);
	f->now = 1000000000;
	f->addr = BASE;
	builder_snapshot(f->builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms[build]);
	builder_snapshot(f->builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nmigratetype 0 unmovable\nmigratetype 1 movable\n");
	builder_snapshot(f->builder, "buddyinfo", KMEMTRACE_PHASE_START, "Node 0, zone Normal 1 2 3\n");
	if (f->caches[build])
		builder_snapshot(f->builder, "caches", KMEMTRACE_PHASE_END, f->caches[build]);
	if (f->aliases[build])
		builder_snapshot(f->builder, "cache_aliases", KMEMTRACE_PHASE_START, f->aliases[build]);
	for (guint i = 0; i < 2; i++) {
		if (f->texts[build][i])
			builder_snapshot(f->builder, i ? "paths" : "events",
					 KMEMTRACE_PHASE_START, f->texts[build][i]);
	}
}

static guint64 put(Fixture *f, guint cpu, struct trace_event event)
{
	f->now += 1000000;
	event.time_ns = f->now;
	event.node = KMEMTRACE_NODE_ANY;
	event.tid = 7;
	builder_event(f->builder, cpu, event);
	return event.addr;
}

/* An object of 100 bytes in 128, allocated by @site, called by @caller. */
static guint64 take(Fixture *f, guint64 site, guint64 caller)
{
	const uint64_t stack[] = { site, caller };

	f->addr += 128;
	return put(f, 0,
		   (struct trace_event){.event = KMEMTRACE_EVENT_KMALLOC,
					.addr = f->addr,
					.call_site = site,
					.bytes_req = 100,
					.bytes_alloc = 128,
					.cache = f->caches[0] ? 1 : 0,
					.stack_id = builder_stack(f->builder, stack, 2)});
}

static void drop(Fixture *f, guint cpu, guint64 addr)
{
	put(f, cpu, (struct trace_event){ .event = KMEMTRACE_EVENT_KFREE, .addr = addr,
					  .call_site = TEXT + 0x1500 });
}

static void take_page(Fixture *f, guint64 pfn, guint64 site)
{
	put(f, 0,
	    (struct trace_event){.event = KMEMTRACE_EVENT_PAGE_ALLOC,
				 .addr = pfn,
				 .call_site = site,
				 .order = 1,
				 .migratetype = 1,
				 .bytes_req = 8192,
				 .bytes_alloc = 8192});
}

static StoreDb *end(Fixture *f, guint build)
{
	StoreLoadResult result;
	GError *error = NULL;
	StoreDb *db;

	builder_finish(f->builder);
	store_load(f->kmt[build], f->db[build], NULL, NULL, &result, &error);
	g_assert_no_error(error);
	db = store_open(f->db[build], &error);
	g_assert_no_error(error);
	return db;
}

/* Two by eater, of which one is freed; one by gone; a page. */
static StoreDb *build_a(Fixture *f)
{
	const Build *b = &builds[0];

	begin(f, 0);
	drop(f, 0, take(f, b->eater, b->caller));
	take(f, b->eater, b->caller);
	take(f, b->other, b->caller);
	take_page(f, 0x100, b->eater);
	return end(f, 0);
}

/* Five by eater, of which one is freed; one by come; the same page. */
static StoreDb *build_b(Fixture *f)
{
	const Build *b = &builds[1];

	begin(f, 1);
	for (guint i = 0; i < 4; i++)
		take(f, b->eater, b->caller);
	drop(f, 1, take(f, b->eater, b->caller));
	take(f, b->other, b->caller);
	take_page(f, 0x100, b->eater);
	return end(f, 1);
}

static char *compare(Fixture *f, DiffBy by, DiffPer per, gboolean json)
{
	g_autoptr(StoreDb) a = build_a(f);
	g_autoptr(StoreDb) b = build_b(f);
	Conditions conditions;
	g_autoptr(MergedCaches) caches = merged_caches_new();
	DiffOptions options = { .names = { "a", "b" }, .by = by, .per = per, .limit = 9,
				.json = json, .conditions = &conditions,
				.comparison.caches = caches };
	StoreDb *const dbs[] = { f->reverse ? b : a, f->reverse ? a : b };
	guint count;
	const ExprName *names = diff_figures(&count);
	char *text;

	for (guint i = 0; i < 2; i++) {
		options.selections[i] = (Selection){
			.filter = { [SELECT_SITE] = f->site, [SELECT_FOCUS] = f->focus,
				    [SELECT_CACHE] = f->cache },
			.comparison = &options.comparison };
		g_assert_true(merged_caches_add(caches, dbs[i], NULL));
	}
	for (guint i = 0; i < 2; i++) {
		options.comparison.is_second = i == 1;
		g_assert_true(select_restrict(dbs[i], &options.selections[i], NULL));
	}
	g_assert_true(conditions_parse(&conditions, f->fail_if, names, count, NULL));
	text = CHECK_OUTPUT(diff_print(dbs, &options, out, &f->result, &error));
	conditions_clear(&conditions);
	return text;
}

/* The number, or -1 for null, at @path, a JSONPath with one match. */
static double at(const char *json, const char *path)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(JsonNode) found = NULL;
	GError *error = NULL;
	JsonArray *matches;
	JsonNode *match;

	json_parser_load_from_data(parser, json, -1, &error);
	g_assert_no_error(error);
	found = json_path_query(path, json_parser_get_root(parser), &error);
	g_assert_no_error(error);
	matches = json_node_get_array(found);
	if (json_array_get_length(matches) != 1)
		g_error("%u of %s in %s", json_array_get_length(matches), path, json);
	match = json_array_get_element(matches, 0);
	return json_node_is_null(match) ? -1 : json_node_get_double(match);
}

static void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		g_error("'%s' is not in\n%s", part, text);
}

static void diff_matches_sites_of_two_builds(Fixture *f, gconstpointer unused)
{
	char *json = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, TRUE);

	g_assert_false(f->result.incomplete);
	expect(json, "\"site\" : \"eater\"");
	expect(json, "\"site\" : \"come [mod]\"");
	g_assert_cmpfloat(at(json, "$.kinds.slab.both"), ==, 1);
	g_assert_cmpfloat(at(json, "$.kinds.slab.only_a"), ==, 1);
	g_assert_cmpfloat(at(json, "$.kinds.slab.only_b"), ==, 1);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].a.live_bytes"), ==, 128);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].b.live_bytes"), ==, 512);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].change.live_bytes"), ==, 384);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].change.live_count"), ==, 3);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].b.allocs"), ==, 5);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].b.bytes"), ==, 640);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].b.waste_bytes"), ==, 140);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[1].a"), ==, -1);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[2].b"), ==, -1);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[2].change.live_bytes"), ==, -128);
	g_assert_cmpfloat(at(json, "$.kinds.slab.all.change.live_bytes"), ==, 384);
	free(json);
}

/* --site and --focus select the rows that diff prints, whatever suffixes the builds have. */
static void diff_selects_sites_of_two_builds(Fixture *f, gconstpointer unused)
{
	static const char *const names[] = { "eater", "eater.isra.0", "eater.constprop.0.cold", "e*ter" };

	for (guint i = 0; i < 2 * G_N_ELEMENTS(names); i++) {
		char *json;

		if (i % 2 == 0 && strchr(names[i / 2], '*')) /* --site takes no glob */
			continue;
		f->site = i % 2 ? NULL : names[i / 2];
		f->focus = i % 2 ? names[i / 2] : NULL;
		json = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, TRUE);
		g_assert_cmpfloat(at(json, "$.kinds.slab.both"), ==, 1);
		g_assert_cmpfloat(at(json, "$.kinds.slab.only_b"), ==, 0);
		g_assert_cmpfloat(at(json, "$.kinds.slab.all.change.live_bytes"), ==, 384);
		free(json);
	}
}

/* A name must be in one of the traces. A glob never matches the suffix of one build. */
static void diff_refuses_names_of_neither_trace(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *focus, *error; /* NULL: none */
	} cases[] = {
		{ "gone or come", NULL },
		{ "*.isra.0", "--focus: nothing in the trace's stacks matches '*.isra.0'" },
		{ "*ter.isra* or eater", "--focus: nothing in the trace's stacks matches '*ter.isra*'" },
		{ "goner", "--focus: nothing in the trace's stacks matches 'goner'" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(StoreDb) a = build_a(f);
		g_autoptr(StoreDb) b = build_b(f);
		g_autoptr(GError) error = NULL;
		Comparison comparison = { 0 };
		Selection selection = { .filter[SELECT_FOCUS] = cases[i].focus,
					.comparison = &comparison };

		g_assert_true(select_restrict(a, &selection, NULL));
		comparison.is_second = TRUE;
		g_assert_cmpint(select_restrict(b, &selection, &error), ==, !cases[i].error);
		if (error)
			g_assert_true(g_str_has_prefix(error->message, cases[i].error));
	}
}

/* The name of merged caches depends on the kernel. */
static void diff_matches_merged_caches(Fixture *f, gconstpointer unused)
{
	f->caches[0] = "1 128 uid_cache\n";
	f->caches[1] = "1 128 key_jar\n";
	f->aliases[0] = ":0000128 key_jar\n:0000128 tiny\n:0000128 uid_cache\n";
	for (guint i = 0; i < 2; i++) {
		char *json;

		f->cache = i ? "tiny" : NULL;
		json = compare(f, DIFF_BY_CACHE, DIFF_PER_TOTAL, TRUE);
		expect(json, "\"cache\" : \"uid_cache, key_jar\"");
		g_assert_cmpfloat(at(json, "$.kinds.slab.both"), ==, 1);
		g_assert_cmpfloat(at(json, "$.kinds.slab.only_b"), ==, 0);
		g_assert_cmpfloat(at(json, "$.kinds.slab.all.change.live_bytes"), ==, 384);
		free(json);
	}
}

static void kinds_have_separate_sums(Fixture *f, gconstpointer unused)
{
	char *json = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, TRUE);

	g_assert_cmpfloat(at(json, "$.kinds.page.all.a.live_bytes"), ==, 8192);
	g_assert_cmpfloat(at(json, "$.kinds.page.all.change.live_bytes"), ==, 0);
	g_assert_cmpfloat(at(json, "$.kinds.slab.all.b.bytes"), ==, 768);
	free(json);
}

/* B doesn't record pages, and its kernel has no vmalloc events. Neither has per-CPU memory. */
static void kinds_traced_in_one_only_are_not_compared(Fixture *f, gconstpointer unused)
{
	char *text;
	g_autofree char *json = NULL;

	f->texts[0][0] = "slab page vmalloc\n";
	f->texts[0][1] = "kfree on\nalloc_vmap_area on\n";
	f->texts[1][0] = "slab vmalloc\n";
	f->texts[1][1] = "kfree on\nkfree_rcu unseen: x\nalloc_vmap_area unseen: x\n";
	text = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, FALSE);
	expect(text, "\npage: not traced in B, so not compared\n\nvmalloc: not traced in B, so not compared\n");
	expect(text, "slab, by call site: 1 in both");
	g_assert_null(strstr(text, "page, by"));
	g_assert_null(strstr(text, "\npercpu"));
	free(text);
	json = compare(f, DIFF_BY_SITE, DIFF_PER_SECOND, TRUE);
	expect(json, "\"page\" : {\n\t\t\t\"not_traced\" : \"b\"\n\t\t}");
	expect(json, "\"vmalloc\" : {\n\t\t\t\"not_traced\" : \"b\"\n\t\t}");
	g_assert_cmpfloat(at(json, "$.kinds.slab.both"), ==, 1);
}

/* The path kfree_rcu traces no areas, though -e vmalloc selects it, too. */
static void kfree_rcu_does_not_trace_vmalloc(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	f->texts[0][0] = "slab vmalloc\n";
	f->texts[0][1] = "kfree on\nalloc_vmap_area on\n";
	f->texts[1][0] = "page vmalloc\n";
	f->texts[1][1] = "kfree_rcu on\nmm_page_alloc on\nalloc_vmap_area unseen: x\n";
	text = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, FALSE);
	expect(text, "\nvmalloc: not traced in B, so not compared\n");
}

static void diff_matches_stacks_by_name(Fixture *f, gconstpointer unused)
{
	char *text = compare(f, DIFF_BY_STACK, DIFF_PER_TOTAL, FALSE);

	expect(text, "A: a: 5 events in 4.0ms\n   Trust: complete; no event was lost\nB: b: 8 events in 7.0ms\n"
		     "   Trust: complete; no event was lost\n");
	expect(text, "slab, by stack: 1 in both, 1 only in A, 1 only in B\n");
	expect(text, "       512        +384           4          +3           5          +3         640        +384  "
		     "       140         +84\n    eater\n    caller\n");
	expect(text, "  (only in A)\n    gone\n    caller\n");
	free(text);
}

static void diff_divides_by_events_or_seconds(Fixture *f, gconstpointer unused)
{
	char *json = compare(f, DIFF_BY_MODULE, DIFF_PER_EVENT, TRUE);

	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].b.live_bytes"), ==, 16);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[1].a.allocs"), ==, 3 / 5.0);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[1].b.allocs"), ==, 5 / 8.0);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[1].change.allocs"), ==, 0.025);
	free(json);
	json = compare(f, DIFF_BY_TASK, DIFF_PER_SECOND, TRUE);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].a.bytes"), ==, 384 / 0.004);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].b.live_count"), ==, 714.2857143);
	free(json);
}

static void rows_without_a_difference_are_not_shown(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, FALSE);

	expect(text, "\npage, by call site: 1 in both, 0 only in A, 0 only in B; 1 without a difference, not shown\n");
	g_assert_null(strstr(strstr(text, "\npage, by"), "  eater"));
	expect(text, "\nConclusion: live at the end, B minus A: slab +384, page 0\n");
}

/* eater shrinks by 384, come by 128, and gone grows by 128. */
static void what_grew_comes_first(Fixture *f, gconstpointer unused)
{
	static const char *const fail_if[] = { "most_grown_slab = 128 and grown_slab < 0", "most_grown_page > 0", NULL };
	g_autofree char *json = NULL;

	f->reverse = TRUE;
	f->fail_if = fail_if;
	json = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, TRUE);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[0].change.live_bytes"), ==, 128);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[1].change.live_bytes"), ==, -384);
	g_assert_cmpfloat(at(json, "$.kinds.slab.rows[2].change.live_bytes"), ==, -128);
	g_assert_cmpfloat(at(json, "$.kinds.slab.grew"), ==, 1);
	g_assert_cmpuint(f->result.failed, ==, 1);
}

static void conditions_over_a_difference_fail(Fixture *f, gconstpointer unused)
{
	static const char *const fail_if[] = { "grown > 383", "grown_slab > 384", "grown_count_page != 0",
					       "grown_allocs_slab = 3", NULL };
	g_autofree char *text = NULL, *json = NULL;

	f->fail_if = fail_if;
	text = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, FALSE);
	g_assert_cmpuint(f->result.failed, ==, 2);
	expect(text, "\nFAILED   grown > 383: grown is 384\nok       grown_slab > 384: grown_slab is 384\n"
		     "ok       grown_count_page != 0: grown_count_page is 0\n"
		     "FAILED   grown_allocs_slab = 3: grown_allocs_slab is 3\n");
	json = compare(f, DIFF_BY_SITE, DIFF_PER_EVENT, TRUE);
	g_assert_cmpfloat(at(json, "$.conditions[0].figures[0].value"), ==, 28.8); /* 640 / 8 - 256 / 5 */
}

static void growth_of_a_kind_in_one_trace_is_unknown(Fixture *f, gconstpointer unused)
{
	static const char *const fail_if[] = { "grown_page > 0", "grown > 0", NULL };
	g_autofree char *text = NULL;

	f->fail_if = fail_if;
	f->texts[0][0] = "slab page\n";
	f->texts[1][0] = "slab\n";
	text = compare(f, DIFF_BY_SITE, DIFF_PER_TOTAL, FALSE);
	g_assert_cmpuint(f->result.failed, ==, 1);
	expect(text, "unknown  grown_page > 0: grown_page is unknown: only one of the traces has this kind\n");
}

static void plain_name_drops_compiler_suffixes(void)
{
	static const char *const names[][2] = {
		{ "foo", "foo" }, { "foo.isra.0", "foo" }, { "foo.constprop.12.cold", "foo" },
		{ "foo.part.0.isra.3", "foo" }, { "foo.llvm.123456", "foo" }, { ".cold", ".cold" },
		{ "foo.bar", "foo.bar" }, { "cold", "cold" }, { "foo_noprof", "foo" }, { "", "" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *plain = symbols_plain_name(names[i][0]);

		g_assert_cmpstr(plain, ==, names[i][1]);
	}
}

/* ---- perf kmem ---- */

static char *perf_stat(Fixture *f, const PerfKmemOptions *options)
{
	g_autoptr(StoreDb) db = build_b(f);

	return CHECK_OUTPUT(perfkmem_print(db, options, out, &f->result.incomplete, &error));
}

static void perf_tables_equal_perf_kmem(Fixture *f, gconstpointer unused)
{
	static const char *const keys[] = { "hit", "ptr", NULL };
	const PerfKmemOptions slab = { .name = "b", .slab = TRUE, .caller = TRUE, .alloc = TRUE, .limit = 2,
				       .keys = (char **)keys };
	const PerfKmemOptions page = { .name = "b", .page = TRUE, .caller = TRUE, .limit = -1 };
	char *text = perf_stat(f, &slab);

	expect(text, "Trace: b\nTrust: complete; no event was lost\n");
	expect(text, " eater.constprop.0.cold+0x40        |       640/128   |       500/100   |        5 |         1 | 21.875%\n"
		     " come+0x40 [mod]                    |       128/128   |       100/100   |        1 |         0 | 21.875%\n");
	expect(text, " 0xffff888000000300                 |       128/128   |       100/100   |        1 |         0 | 21.875%\n"
		     " 0xffff888000000280                 |       128/128   |       100/100   |        1 |         1 | 21.875%\n-");
	expect(text, "Total bytes requested: 600\nTotal bytes allocated: 768\nTotal bytes freed: 128\n"
		     "Net total bytes allocated: 640\nTotal bytes wasted on internal fragmentation: 168\n"
		     "Internal fragmentation: 21.875000%\nCross CPU allocations: 0/6\n");
	free(text);
	text = perf_stat(f, &page);
	expect(text, "                8 |         1 |     1 | movable     | 0x0 ");
	expect(text, "Total allocation requests     :                1   [                8 KB ]\n");
	expect(text, "Total alloc-only requests     :                1   [                8 KB ]\n");
	expect(text, "\nOrder     unmovable       movable\n    0             .             .\n"
		     "    1             .             1\n");
	free(text);
}

static void page_totals_do_not_need_unmatched_frees(Fixture *f, gconstpointer unused)
{
	const PerfKmemOptions page = { .name = "b", .page = TRUE, .limit = -1 };
	g_autoptr(StoreDb) db = NULL;
	g_autofree char *text = NULL;

	begin(f, 1);
	take_page(f, 0x100, builds[1].eater);
	put(f, 0,
	    (struct trace_event){.event = KMEMTRACE_EVENT_PAGE_FREE,
				 .addr = 0x100,
				 .order = 1,
				 .bytes_alloc = 8192});
	db = end(f, 1);
	text = CHECK_OUTPUT(perfkmem_print(db, &page, out, &f->result.incomplete, &error));
	expect(text, "Total free requests           :                1   [                8 KB ]\n");
	expect(text, "Total alloc+freed requests    :                1   [                8 KB ]\n"
		     "Total alloc-only requests     :                0   [                0 KB ]\n");
}

static void invalid_sort_keys_are_rejected(Fixture *f, gconstpointer unused)
{
	static const char *const of_pages[] = { "order", NULL };
	static const char *const too_many[] = { "hit", "hit", "hit", "hit", "hit", NULL };
	PerfKmemOptions options = { .slab = TRUE, .keys = (char **)of_pages };
	GError *error = NULL;

	g_assert_false(perfkmem_check_keys(&options, &error));
	expect(error->message, "invalid key 'order' for slabs");
	g_clear_error(&error);
	options.slab = FALSE;
	options.page = TRUE;
	g_assert_true(perfkmem_check_keys(&options, &error));
	options.keys = (char **)too_many;
	g_assert_false(perfkmem_check_keys(&options, &error));
	g_clear_error(&error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/diff/" #test, Fixture, NULL, setup, test, teardown)
	ADD(diff_matches_sites_of_two_builds);
	ADD(diff_selects_sites_of_two_builds);
	ADD(diff_refuses_names_of_neither_trace);
	ADD(diff_matches_merged_caches);
	ADD(kinds_have_separate_sums);
	ADD(kinds_traced_in_one_only_are_not_compared);
	ADD(kfree_rcu_does_not_trace_vmalloc);
	ADD(diff_matches_stacks_by_name);
	ADD(diff_divides_by_events_or_seconds);
	ADD(rows_without_a_difference_are_not_shown);
	ADD(what_grew_comes_first);
	ADD(conditions_over_a_difference_fail);
	ADD(growth_of_a_kind_in_one_trace_is_unknown);
	g_test_add_func("/diff/plain_name_drops_compiler_suffixes", plain_name_drops_compiler_suffixes);
	ADD(perf_tables_equal_perf_kmem);
	ADD(page_totals_do_not_need_unmatched_frees);
	ADD(invalid_sort_keys_are_rejected);
	return g_test_run();
}
