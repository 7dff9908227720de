// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks, and reports of the interval between two of them, on a known trace. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pairing/marks.h"
#include "report/print/interval.h"
#include "report/lifetimes/churn.h"
#include "report/leaks/leaks.h"
#include "report/lifetimes/lifetimes.h"
#include "report/live/live.h"
#include "report/summary/report.h"
#include "report/script/script.h"
#include "output-check.h"
#include "store-check.h"

#define START	G_GUINT64_CONSTANT(5000000000)
#define MS	G_GUINT64_CONSTANT(1000000)

static const char kallsyms[] = "ffffffff81001000 T reader\n"
			       "ffffffff81002000 T writer\n"
			       "ffffffff81003000 T _etext\n";

enum { READER = 0x1010, WRITER = 0x2010 };

typedef struct {
	struct check_store store;
	Selection selection;
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

/* An object of thread 7 on CPU 0, @ms after the first event; freed if @bytes is 0. */
static void put(Fixture *f, guint64 ms, guint slot, guint64 site, guint32 bytes)
{
	builder_event(f->store.builder, 0,
		      (struct trace_event){
			      .event = bytes ? KMEMTRACE_EVENT_KMALLOC : KMEMTRACE_EVENT_KFREE,
			      .time_ns = START + ms * MS,
			      .tid = 7,
			      .node = KMEMTRACE_NODE_ANY,
			      .addr = BASE + slot * 1024,
			      .call_site = TEXT + site,
			      .bytes_req = bytes,
			      .bytes_alloc = bytes,
		      });
}

static void mark(Fixture *f, guint64 ms, const char *text)
{
	builder_mark(f->store.builder, 0, START + ms * MS, 7, text);
}

/* ---- from records to marks ---- */

static void append(gpointer data, const Mark *mark)
{
	g_string_append_printf(data, "%s at %d;", mark->text, (int)mark->time_ns);
}

static struct trace_event piece(guint64 time_ns, guint8 part, guint8 parts, const char *text)
{
	struct trace_event event = { .event = KMEMTRACE_EVENT_MARK, .time_ns = time_ns,
				     .part = part, .parts = parts };

	g_strlcpy(event.text, text, sizeof(event.text));
	return event;
}

static void incomplete_marks_are_kept_apart(void)
{
	const struct trace_event events[] = {
		piece(10, 0, 1, "single"),
		piece(20, 0, 2, "first half "), piece(20, 1, 2, "and second"),
		piece(30, 1, 2, "a tail"),
		piece(40, 0, 3, "a head"),
		piece(50, 0, 2, "of one"), piece(51, 1, 2, "of another time"),
		piece(60, 0, 2, "x"), piece(60, 0, 2, "y"),
		piece(70, 255, 255, "last"),
		piece(80, 3, 0, "odd"),
	};
	g_autoptr(GString) text = g_string_new(NULL);
	Marks marks = { 0 };

	for (gsize i = 0; i < G_N_ELEMENTS(events); i++)
		marks_take(&marks, &events[i], append, text);
	marks_end(&marks, append, text);
	marks_end(&marks, append, text);
	g_assert_cmpstr(text->str, ==,
			"single at 10;first half and second at 20;…a tail at 30;a head… at 40;of one… at 50;"
			"…of another time at 51;x… at 60;y… at 60;…last at 70;…odd at 80;");
}

static void mark_text_is_limited(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char full[KMEMTRACE_MARK_TEXT + 1];
	Marks marks = { 0 };

	memset(full, 'm', KMEMTRACE_MARK_TEXT);
	full[KMEMTRACE_MARK_TEXT] = 0;
	for (guint part = 0; part < 255; part++) {
		const struct trace_event event = piece(1, part, 255, full);

		marks_take(&marks, &event, append, text);
	}
	g_assert_cmpuint(text->len, ==, KMEMTRACE_MARK_MAX + strlen(" at 1;"));
}

static void control_characters_of_marks_are_escaped(void)
{
	static const struct {
		const char *raw, *clean;
	} texts[] = {
		{ "plain", "plain" },
		{ "größer ▲", "größer ▲" },
		{ "tab\there", "tab\\011here" },
		{ "\033[2J\177", "\\033[2J\\177" },
		{ "C1 \302\233", "C1 \\302\\233" },
		{ "\303", "\\303" },
		{ "\342\202A", "\\342\\202A" },
		{ "\355\240\200", "\\355\\240\\200" },
		{ "\300\257", "\\300\\257" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *clean = marks_text(texts[i].raw);

		g_assert_cmpstr(clean, ==, texts[i].clean);
	}
}

/* ---- in a database, in script ---- */

#define LONG_TEXT	"a text of forty letters, so it needs two"

static void put_named(Fixture *f)
{
	builder_task(f->store.builder, 0, START, 7, 7, "marker");
	mark(f, 1, "begin");
	put(f, 2, 1, READER, 64);
	mark(f, 3, LONG_TEXT);
	mark(f, 3, "esc \033");
	builder_mark(f->store.builder, 1, START + 2 * MS, 9, "other CPU");
	put(f, 4, 1, READER, 0);
}

static void marks_are_loaded(Fixture *f, gconstpointer unused)
{
	put_named(f);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT id, time_ns, time_s, cpu, tid, comm, text FROM marks",
		  "1|1000000|0.001|0|7|marker|begin\n2|2000000|0.002|1|9||other CPU\n"
		  "3|3000000|0.003|0|7|marker|" LONG_TEXT "\n4|3000000|0.003|0|7|marker|esc \\033");
	check_sql(f->store.db, "SELECT count FROM events WHERE event = 'mark'", "5");
	check_sql(f->store.db, "SELECT sum(unknown) FROM cpu", "0");
	check_sql(f->store.db, "SELECT count(*) FROM allocations", "1");
}

static void mark_may_be_first_and_last_event(Fixture *f, gconstpointer unused)
{
	mark(f, 1, "first of all");
	put(f, 2, 1, READER, 64);
	mark(f, 9, "last of all");
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT time_ns, text FROM marks", "0|first of all\n8000000|last of all");
	check_sql(f->store.db, "SELECT time_ns FROM allocations", "1000000");
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'span_ns'", "8000000");
}

static void script_prints_whole_marks(Fixture *f, gconstpointer unused)
{
	const ScriptOptions options = { 0 };
	g_autofree char *text = NULL;

	put_named(f);
	builder_finish(f->store.builder);
	text = CHECK_OUTPUT(script_print(f->store.kmt, &options, out, &error));
	check_has(text, "          marker-7       [000] . 5.001000000: mark: begin\n");
	check_has(text, "               ?-9       [001] . 5.002000000: mark: other CPU\n");
	check_has(text, "[000] . 5.003000000: mark: " LONG_TEXT "\n");
	check_has(text, ": mark: esc \\033\n");
}

/* ---- names of times ---- */

static void expect_time(Fixture *f, const char *name, gint64 ns)
{
	GError *error = NULL;
	gint64 found = -1;

	interval_time(f->store.db, name, &found, &error);
	g_assert_no_error(error);
	g_assert_cmpint(found, ==, ns);
}

static void expect_no_time(Fixture *f, const char *name, const char *expected)
{
	GError *error = NULL;
	gint64 found;

	g_assert_false(interval_time(f->store.db, name, &found, &error));
	g_assert_cmpstr(error->message, ==, expected);
	g_clear_error(&error);
}

static void time_is_found_by_mark_number_or_value(Fixture *f, gconstpointer unused)
{
	put(f, 0, 1, READER, 64);
	mark(f, 1, "twice");
	mark(f, 2, "2s");
	mark(f, 3, "twice");
	mark(f, 4, "tab\there");
	mark(f, 5, "#9");
	check_store_load(&f->store);
	expect_time(f, "2s", 2 * MS);
	expect_time(f, "3s", 3000 * MS);
	expect_time(f, "0.5ms", MS / 2);
	expect_time(f, "#3", 3 * MS);
	expect_time(f, "#9", 5 * MS);
	expect_time(f, "tab\there", 4 * MS);
	expect_time(f, "tab\\011here", 4 * MS);
	expect_no_time(f, "twice", "several marks have this text: #1 'twice' at 1.0ms, #3 'twice' at 3.0ms; "
				   "give its number, as #1, or a time");
	expect_no_time(f, "three", "'three' is neither a time nor a mark; the trace has the marks #1 'twice' at 1.0ms, #2 '2s' at 2.0ms, "
				   "#3 'twice' at 3.0ms, #4 'tab\\011here' at 4.0ms, #5 '#9' at 5.0ms");
	expect_no_time(f, "#6", "'#6' is neither a time nor a mark; the trace has the marks #1 'twice' at 1.0ms, #2 '2s' at 2.0ms, "
				"#3 'twice' at 3.0ms, #4 'tab\\011here' at 4.0ms, #5 '#9' at 5.0ms");
}

static void unknown_mark_is_rejected(Fixture *f, gconstpointer unused)
{
	put(f, 0, 1, READER, 64);
	check_store_load(&f->store);
	expect_no_time(f, "begin", "invalid time 'begin' (the trace has no marks)");
}

static void invalid_interval_is_rejected(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *from, *to, *expected;
	} intervals[] = {
		{ "b", "a", "'b' is at 8.0ms, 'a' at 2.0ms: give the earlier one first" },
		{ "a", "a", "'a' is at 2.0ms, 'a' at 2.0ms: give the earlier one first" },
		{ "a", "1s", "1.00s is after the end of the trace, which has 9.0ms" },
		{ "c", "b", "'c' is neither a time nor a mark; the trace has the marks #1 'a' at 2.0ms, #2 'b' at 8.0ms" },
	};

	put(f, 0, 1, READER, 64);
	mark(f, 2, "a");
	mark(f, 8, "b");
	put(f, 9, 1, READER, 0);
	check_store_load(&f->store);
	for (gsize i = 0; i < G_N_ELEMENTS(intervals); i++) {
		Selection selection = { .from = intervals[i].from, .to = intervals[i].to };
		GError *error = NULL;

		g_assert_false(selection_find(f->store.db, &selection, &error));
		g_assert_cmpstr(error->message, ==, intervals[i].expected);
		g_clear_error(&error);
	}
}

/* ---- reports of an interval ---- */

/*
 * Thread 7 allocates 64 bytes each millisecond from 0 on, in the reader at even ones and in the
 * writer at odd ones. Every fourth is freed 500 ms later, the reader's at 2, 6, 10… at once. With
 * marks at 100 and 200, 50 of each are in between; 25 of the reader's are freed at once, and 25 of
 * the writer's (101, 105…) later.
 */
static void put_interval(Fixture *f)
{
	builder_task(f->store.builder, 0, START, 7, 7, "marker");
	for (guint ms = 0; ms < 1000; ms++) {
		if (ms == 100 || ms == 200)
			mark(f, ms, ms == 100 ? "from" : "to");
		if (ms >= 500 && (ms - 500) % 4 == 1)
			put(f, ms, ms - 500, WRITER, 0);
		if (ms % 4 == 3)
			put(f, ms, ms - 1, READER, 0);
		if (ms < 500)
			put(f, ms, ms, ms % 2 ? WRITER : READER, 64);
	}
	check_store_load(&f->store);
	f->selection = (Selection){ .from = "from", .to = "to" };
}

/* The interval's figures. */
static char *answer_of(Fixture *f, ReportFunc print, gconstpointer options)
{
	char *text;

	f->store.selection = &f->selection;
	text = check_answer(&f->store, print, options, TRUE);
	check_has(text, "\"between\": {\"from_ns\": 100000000, \"to_ns\": 200000000}");
	return text;
}

static void restriction_keeps_allocations_of_interval(Fixture *f, gconstpointer unused)
{
	const char *params[] = { ":from", "100000000", ":to", "200000000", NULL };
	GError *error = NULL;

	put_interval(f);
	check_sql(f->store.db, "SELECT count(*) FROM allocations", "500");
	store_restrict(f->store.db, params, &error);
	g_assert_no_error(error);
	check_sql(f->store.db, "SELECT count(*), min(time_ns), max(time_ns) FROM allocations", "100|100000000|199000000");
	check_sql(f->store.db, "SELECT caller, allocs, live_count, live_bytes FROM call_sites ORDER BY caller",
		  "reader|50|25|1600\nwriter|50|25|1600");
	check_sql(f->store.db, "SELECT count(*) FROM live", "50");
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'allocations'", "500");
	g_assert_null(store_query(f->store.db, "CREATE TEMP TABLE x (y)", NULL, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY);
	g_clear_error(&error);
}

static void report_shows_interval_only(Fixture *f, gconstpointer unused)
{
	ReportOptions options = { .name = "t.kmt", .limit = 9, .site = "", .selection = &f->selection };
	gboolean incomplete;
	GError *error = NULL;
	g_autofree char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	put_interval(f);
	select_restrict(f->store.db, &f->selection, &error);
	g_assert_no_error(error);
	report_print(f->store.db, &options, out, &incomplete, &error);
	report_print_stat(f->store.db, &options, out, &incomplete, &error);
	g_assert_no_error(error);
	fclose(out);
	check_has(text, "\nOnly allocations from 'from' (100.0ms) to 'to' (200.0ms)\n");
	check_has(text, "slab    100         6.2K          50        3.1K");
	check_has(text, "      1.6K          25  reader");
	check_has(text, "       3.1K     50             64  writer");
	check_has_not(text, "Unmatched frees");
	check_has_not(text, "Slab growth");
	check_has_not(text, "\nEvents\n");
}

static void leaks_show_interval_only(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9, .older_ns = 0 };
	g_autofree char *text = NULL;

	put_interval(f);
	text = answer_of(f, leaks_print, &options);
	check_has(text, "{\"old_bytes\":1600,\"old_count\":25,\"live_bytes\":1600,\"oldest_ns\":899000000,");
}

static void grow_compares_two_marks(Fixture *f, gconstpointer unused)
{
	const LeaksOptions options = { .by = "site", .limit = 9, .from = "from", .to = "to",
				       .to_ns = LEAKS_NS_NONE };
	g_autofree char *text = NULL;

	put_interval(f);
	text = check_answer(&f->store, grow_print, &options, TRUE);
	check_has(text, "\"from_ns\": 100000000,\n\"to_ns\": 200000000");
	/* The allocation at 100 ms counts at that time, and so does that at 200 ms. */
	check_has(text, "{\"grown_bytes\":3200,\"grown_count\":50,\"from_bytes\":3200,\"from_count\":50,");
	check_has(text, "{\"grown_bytes\":1600,\"grown_count\":25,");
}

static void answers_show_interval_only(Fixture *f, gconstpointer options)
{
	const LifetimesOptions lives = { .by = "site", .site = "", .limit = 9 };
	const ChurnOptions churn = { .site = "", .limit = 9, .within = 1 };
	const LiveOptions memory = { .by = "site", .site = "", .limit = 9, .at_ns = -1, .steps = 10 };
	const char *name = options;
	g_autofree char *text = NULL;

	put_interval(f);
	if (!strcmp(name, "lifetimes")) {
		text = answer_of(f, lifetimes_print, &lives);
		check_has(text, "{\"freed\":25,\"freed_bytes\":1600,\"p50_ns\":1000000,\"p95_ns\":1000000,"
				"\"p99_ns\":null,\"max_ns\":1000000,\"live\":25,\"unseen\":0,\"kind\":\"slab\","
				"\"name\":\"reader\"}");
		check_has(text, "\"max_ns\":500000000,\"live\":25,");
	} else if (!strcmp(name, "churn")) {
		/*
		 * 50 in 100 ms; the reader's are freed before the next allocation, the writer's
		 * much later.
		 */
		text = answer_of(f, churn_print, &churn);
		check_has(text, "{\"allocs_per_s\":500,\"allocs\":50,\"allocated_bytes\":3200,\"temporary\":25,"
				"\"temporary_pct\":50.0,\"kind\":\"slab\",\"caller\":\"reader\",");
		check_has(text, "{\"allocs_per_s\":500,\"allocs\":50,\"allocated_bytes\":3200,\"temporary\":0,");
	} else {
		text = answer_of(f, live_print_live, &memory);
		check_has(text, "\"live_bytes\":3200,\"live_count\":50,");
	}
}

static void timeline_shows_marks_at_their_time(Fixture *f, gconstpointer unused)
{
	const LiveOptions options = { .by = "kind", .site = "", .limit = 9, .at_ns = -1, .steps = 10 };
	g_autofree char *text = NULL;

	put_interval(f);
	text = check_answer(&f->store, live_print_timeline, &options, FALSE);
	check_has(text, "\nMarks\n");
	check_has(text, "100.0ms  | ▲        |  marker  from\n");
	check_has(text, "200.0ms  |  ▲       |  marker  to\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/marks/incomplete_marks_are_kept_apart", incomplete_marks_are_kept_apart);
	g_test_add_func("/marks/mark_text_is_limited", mark_text_is_limited);
	g_test_add_func("/marks/control_characters_of_marks_are_escaped", control_characters_of_marks_are_escaped);
#define ADD(test) g_test_add("/marks/" #test, Fixture, NULL, setup, test, teardown)
	ADD(marks_are_loaded);
	ADD(mark_may_be_first_and_last_event);
	ADD(script_prints_whole_marks);
	ADD(time_is_found_by_mark_number_or_value);
	ADD(unknown_mark_is_rejected);
	ADD(invalid_interval_is_rejected);
	ADD(restriction_keeps_allocations_of_interval);
	ADD(report_shows_interval_only);
	ADD(leaks_show_interval_only);
	ADD(grow_compares_two_marks);
	ADD(timeline_shows_marks_at_their_time);
#define ADD_ANSWER(name)                                                                           \
	g_test_add("/marks/" name "_shows_interval_only", Fixture, name, setup, answers_show_interval_only,    \
		   teardown)
	ADD_ANSWER("lifetimes");
	ADD_ANSWER("churn");
	ADD_ANSWER("live");
	return g_test_run();
}
