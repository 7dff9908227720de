// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/report.h"

#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "report/print/coverage.h"
#include "report/print/printer.h"
#include "report/print/rows.h"

#define COMMAND_MAX 120 /* characters that are shown of what was recorded */

#define SLAB_TITLE  "slab objects and large kmallocs, by call site"
#define KINDS_TITLE "Totals by kind: separate accounts, never added up"
#define PAGES_TITLE                                                                                \
	"pages, by call site (without those that back slabs, large kmallocs or per-CPU memory)"
#define VMALLOC_TITLE "addresses of vmalloc space, by call site (the memory in them is pages)"

/* A table. */
typedef struct {
	const char *key;
	const char *sql;   /* its statement */
	const char *kind;  /* of memory, where the statement wants one */
	const char *title; /* "%s" in that of old memory is the age */
	enum {
		OPTIONAL = 1, /* in text it is left out if it has no row */
		WHOLE = 2,    /* about the whole trace: not in an interval */
	} flags;
	const char *note; /* a line below it, if it has a row; or NULL */
} Section;

/* The tables of the head. */
static const Section trace_section = { "trace", "report_trace", NULL, NULL, 0, NULL };
static const Section paths_section = { "paths", "report_paths", NULL, NULL, 0, NULL };
static const Section filters_section = { "filters", "report_filters", NULL, NULL, 0, NULL };
static const Section tracer_section = { "tracer", "report_tracer", NULL, NULL, 0, NULL };
static const Section loss_section = { "loss", "report_loss", NULL, "Lost, by CPU and reason",
				      0,      NULL };
static const Section unmatched_section = {
	"unmatched", "report_unmatched",
	NULL,        "Unmatched frees, by class",
	WHOLE,       "'before': allocated before the trace began, which is normal",
};
static const Section growth_section = { "growth", "report_growth", NULL, NULL, WHOLE, NULL };

#define UNMATCHED_INCOMPLETE                                                                       \
	"'before': allocated before the trace began, or the allocation was lost, or on a path that was not traced"

/* The sections behind the head, in order. */
static const Section sections[] = {
	{ "kinds", "report_kinds", NULL, KINDS_TITLE, 0,
	  "Live is not leaked: the trace ended first. Old live allocations are listed last, with their stacks" },
	{ "rcu", "report_rcu", NULL,
	  "Freed by RCU: calls of kfree_rcu(), and objects not freed yet at the end, which are not leaks",
	  OPTIONAL | WHOLE, NULL },
	{ "live_slab", "report_live", "slab", "Live at the end: " SLAB_TITLE, 0, NULL },
	{ "live_page", "report_live", "page", "Live at the end: " PAGES_TITLE, 0, NULL },
	{ "live_percpu", "report_live", "percpu",
	  "Live at the end: per-CPU memory, on all CPUs, by call site", OPTIONAL, NULL },
	{ "live_vmalloc", "report_live", "vmalloc", "Live at the end: " VMALLOC_TITLE, OPTIONAL,
	  NULL },
	{ "total_slab", "report_total", "slab", "Total allocated: " SLAB_TITLE, 0, NULL },
	{ "total_page", "report_total", "page", "Total allocated: " PAGES_TITLE, 0, NULL },
	{ "total_percpu", "report_total", "percpu",
	  "Total allocated: per-CPU memory, on all CPUs, by call site", OPTIONAL, NULL },
	{ "total_vmalloc", "report_total", "vmalloc", "Total allocated: " VMALLOC_TITLE, OPTIONAL,
	  NULL },
	{ "waste", "report_waste", NULL,
	  "Wasted by rounding: allocated minus requested bytes, by call site", 0, NULL },
	{ "lifetimes", "report_lifetimes", NULL, "Lifetimes of freed allocations, by call site", 0,
	  NULL },
	{ "fragmentation", "report_fragmentation", NULL,
	  "Fragmentation: pages taken from blocks of another type, by call site", OPTIONAL | WHOLE,
	  NULL },
	{ "boot", "report_boot", NULL,
	  "Boot: the largest steps, in the order of their first allocations; slab objects and pages are separate accounts",
	  OPTIONAL, "kmemtrace-user query boot has all of them" },
	{ "merged", "report_merged", NULL,
	  "Slab caches that the allocator merged: their objects count under the first name",
	  OPTIONAL, NULL },
	{ "moves", "report_moves", NULL,
	  "Pages between the lists of the zones and those of the CPUs", OPTIONAL | WHOLE, NULL },
	{ "migrated", "report_migrated", NULL,
	  "Pages that the kernel migrated (compaction, NUMA balancing and the like)",
	  OPTIONAL | WHOLE,
	  "their allocations keep their row, age and task; 'known pages' have an allocation in the trace" },
};

/* Old live memory: of slabs and pages together, then of the others. */
static const Section old_sections[] = {
	{ "old", "report_old", "", "Live and older than %s, by stack", 0, NULL },
	{ "old_percpu", "report_old", "percpu",
	  "Live and older than %s, by stack: per-CPU memory, on all CPUs", OPTIONAL, NULL },
	{ "old_vmalloc", "report_old", "vmalloc",
	  "Live and older than %s, by stack: addresses of vmalloc space", OPTIONAL, NULL },
};

/* Of a site alone: the calls of programs that reached it. */
static const Section user_section = { "user_stacks", "report_user_stacks", NULL, NULL, 0, NULL };

typedef struct {
	StoreDb *db;
	const ReportOptions *options;
	FILE *out;
	char limit[16], older[32]; /* of the options, as parameters */
	gboolean incomplete;       /* the trace */
} Report;

static StoreRows *query(Report *report, const Section *section, GError **error)
{
	const char *params[] = { ":limit", report->limit,         ":older_ns", report->older,
				 ":site",  report->options->site, ":kind",     section->kind ?: "",
				 NULL };

	return store_query_named(report->db, section->sql, params, error);
}

/* ---- the head: one row of facts ---- */

typedef struct {
	char *release, *machine, *command;
	gint64 cpus, events, span_ns;
	gint64 lost_details, lost_names, backward;
	gint64 tick_ns, ticks_until_ns; /* both 0: the clock did not go by ticks */
	Completeness completeness;
} Head;

static void head_clear(Head *head)
{
	g_free(head->release);
	g_free(head->machine);
	g_free(head->command);
	completeness_clear(&head->completeness);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Head, head_clear)

static void take_fact(StoreRows *rows, int column, Head *head)
{
	const struct {
		const char *name;
		char **text;
		gint64 *number;
	} facts[] = {
		{ "release", &head->release, NULL },
		{ "machine", &head->machine, NULL },
		{ "command", &head->command, NULL },
		{ "cpus", NULL, &head->cpus },
		{ "events", NULL, &head->events },
		{ "span_ns", NULL, &head->span_ns },
		{ "lost_details", NULL, &head->lost_details },
		{ "lost_names", NULL, &head->lost_names },
		{ "backward", NULL, &head->backward },
		{ "tick_ns", NULL, &head->tick_ns },
		{ "ticks_until_ns", NULL, &head->ticks_until_ns },
	};
	const char *name = store_rows_name(rows, column);

	for (size_t i = 0; i < G_N_ELEMENTS(facts); i++) {
		if (strcmp(name, facts[i].name) != 0)
			continue;
		if (facts[i].text)
			*facts[i].text = g_strdup(store_rows_text(rows, column));
		else
			*facts[i].number = store_rows_int(rows, column);
	}
}

static gboolean read_head(Report *report, Head *head, GError **error)
{
	g_autoptr(StoreRows) rows = query(report, &trace_section, error);

	if (store_rows_next(rows)) {
		for (int i = 0; i < store_rows_columns(rows); i++)
			take_fact(rows, i, head);
		if (!completeness_read(report->db, &head->completeness, error))
			return FALSE;
		report->incomplete = completeness_is_incomplete(&head->completeness);
		return TRUE;
	}
	if (store_rows_done(rows, error))
		g_set_error_literal(error, STORE_ERROR, STORE_ERROR_FORMAT,
				    "the database has no trace");
	return FALSE;
}

static void print_problem(FILE *out, gint64 count, const char *one, const char *more)
{
	g_autofree char *number = units_format_count(count);

	if (count)
		fprintf(out, "  %s %s\n", number, count == 1 ? one : more);
}

/* First of all, what is wrong with the trace. */
static void print_verdict(FILE *out, const Head *head)
{
	const Completeness *completeness = &head->completeness;

	completeness_print(completeness, 0, out);
	if (completeness->cut)
		fputs("  its recorder did not finish, or is still writing: if it was killed and that machine still runs, kmemtrace-user extract has the rest\n",
		      out);
	print_problem(out, head->lost_details, "event has no stack or no cache: a table was full",
		      "events have no stack or no cache: a table was full");
	print_problem(
		out, head->lost_names,
		"name of a thread was lost: until its next event, it may have no name or its former one",
		"names of threads were lost: until its next event, a thread may have no name or its former one");
	print_problem(out, head->backward,
		      "record steps back in time by more than 100us: its pairing may be wrong",
		      "records step back in time by more than 100us: their pairing may be wrong");
}

static void print_ticks(FILE *out, const Head *head)
{
	g_autofree char *step = units_format_time(head->tick_ns);
	g_autofree char *until = units_format_time(head->ticks_until_ns);

	if (head->tick_ns)
		fprintf(out,
			"  the clock went in steps of %s until %s: earlier times and lifetimes are as coarse\n",
			step, until);
	else if (head->ticks_until_ns)
		fprintf(out,
			"  the clock stood still until %s: earlier times and lifetimes are unknown\n",
			until);
}

/* A recorded command may be as long as the kernel allows. JSON has all of it. */
static char *short_command(const char *command)
{
	g_autofree char *start = NULL;

	if (g_utf8_strlen(command, -1) <= COMMAND_MAX)
		return g_strdup(command);
	start = g_utf8_substring(command, 0, COMMAND_MAX - 1);
	return g_strconcat(start, "…", NULL);
}

static gboolean print_head(Report *report, const Head *head, GError **error)
{
	FILE *out = report->out;
	g_autofree char *events = units_format_count(head->events);
	g_autofree char *span = units_format_time(head->span_ns);
	g_autofree char *command = short_command(head->command ? head->command : "");

	escape_print_line("Trace: ", report->options->name, out);
	fprintf(out, "       Linux %s %s, %" G_GINT64_FORMAT " CPU%s, %s events in %s\n",
		head->release, head->machine, head->cpus, head->cpus == 1 ? "" : "s", events, span);
	if (command[0])
		fprintf(out, "       of: %s\n", command);
	if (!coverage_print_memory(report->db, out, error))
		return FALSE;
	print_verdict(out, head);
	print_ticks(out, head);
	interval_print(report->options->interval, FALSE, out);
	return coverage_print_limits(report->db, 2, out, error);
}

/* ---- text ---- */

static gboolean has_rows(Report *report, const Section *section, gboolean *any, GError **error)
{
	g_autoptr(StoreRows) rows = query(report, section, error);

	if (!rows)
		return FALSE;
	*any = store_rows_next(rows);
	return store_rows_done(rows, error);
}

/* It would cover more than the interval. */
static gboolean is_left_out(const Report *report, const Section *section)
{
	const Interval *interval = report->options->interval;

	return section->flags & WHOLE && interval && interval->from;
}

static gboolean print_table(Report *report, const Section *section, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;
	gboolean any = TRUE;
	const char *note;
	guint64 count;

	if (is_left_out(report, section))
		return TRUE;
	if (section->flags & OPTIONAL && !has_rows(report, section, &any, error))
		return FALSE;
	if (!any)
		return TRUE;
	rows = query(report, section, error);
	if (!rows)
		return FALSE;
	fprintf(report->out, "\n%s\n", section->title);
	if (!rows_print(rows, ROWS_REPORT, report->out, &count, error))
		return FALSE;
	note = section == &unmatched_section && report->incomplete ? UNMATCHED_INCOMPLETE
								   : section->note;
	if (count && note)
		fprintf(report->out, "(%s)\n", note);
	return TRUE;
}

/* Columns of report_growth.sql. */
enum { GROWTH_MEMINFO, GROWTH_TAKEN, GROWTH_GIVEN, GROWTH_EXPLAINED, GROWTH_PERCENT };

static gboolean print_growth(Report *report, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;
	g_autofree char *meminfo = NULL, *traced = NULL;

	if (is_left_out(report, &growth_section))
		return TRUE;
	rows = store_query_row(report->db, "report_growth", NULL, error);
	if (!rows)
		return FALSE;
	fputs("\nSlab growth: ", report->out);
	if (store_rows_type(rows, GROWTH_MEMINFO) == STORE_NULL) {
		fputs("the trace lacks meminfo of its start or end\n", report->out);
		return TRUE;
	}
	meminfo = units_format_size(store_rows_int(rows, GROWTH_MEMINFO));
	traced = units_format_size(store_rows_int(rows, GROWTH_EXPLAINED));
	fprintf(report->out, "%s in meminfo, %s in traced slab pages", meminfo, traced);
	if (store_rows_type(rows, GROWTH_PERCENT) != STORE_NULL)
		fprintf(report->out, " (%.1f%%)", store_rows_double(rows, GROWTH_PERCENT));
	fputc('\n', report->out);
	return TRUE;
}

/* A line of figures, then the stack, innermost first, a frame a line. */
static void print_old_row(FILE *out, StoreRows *rows)
{
	g_autofree char *bytes = units_format_size(store_rows_int(rows, 0));
	g_autofree char *count = units_format_count(store_rows_int(rows, 1));
	g_autofree char *oldest = units_format_time(store_rows_int(rows, 2));
	g_auto(GStrv) frames = g_strsplit(store_rows_text(rows, 7), " < ", -1);
	const char *caches = store_rows_text(rows, 5);

	fprintf(out, "%s in %s, oldest %s: %s by %s", bytes, count, oldest,
		store_rows_text(rows, 3), store_rows_text(rows, 4));
	if (caches[0])
		fprintf(out, ", %s", caches);
	fprintf(out, " (%s)\n", store_rows_text(rows, 6));
	for (guint i = 0; frames[i]; i++)
		fprintf(out, "    %s\n", frames[i]);
}

static void print_old_title(Report *report, const char *title)
{
	g_autofree char *age = units_format_age(report->options->older_ns);
	g_auto(GStrv) parts = g_strsplit(title, "%s", 2);

	fprintf(report->out, "\n%s%s%s\n", parts[0], age, parts[1]);
}

static gboolean print_old(Report *report, const Section *section, GError **error)
{
	g_autoptr(StoreRows) rows = query(report, section, error);
	gboolean any = FALSE;

	while (store_rows_next(rows)) {
		if (!any)
			print_old_title(report, section->title);
		print_old_row(report->out, rows);
		any = TRUE;
	}
	if (!store_rows_done(rows, error))
		return FALSE;
	if (!any && !(section->flags & OPTIONAL)) {
		print_old_title(report, section->title);
		fputs("nothing\n", report->out);
	}
	return TRUE;
}

/* ---- the calls of programs that reached one site ---- */

/* Columns of report_user_stacks.sql. */
enum { USER_BYTES, USER_COUNT, USER_LIVE_BYTES, USER_LIVE_COUNT, USER_KIND, USER_STACK };

/* As print_old_row(). */
static void print_user_row(FILE *out, StoreRows *rows)
{
	g_autofree char *bytes = units_format_size(store_rows_int(rows, USER_BYTES));
	g_autofree char *count = units_format_count(store_rows_int(rows, USER_COUNT));
	g_autofree char *live = units_format_size(store_rows_int(rows, USER_LIVE_BYTES));
	g_autofree char *live_count = units_format_count(store_rows_int(rows, USER_LIVE_COUNT));
	g_auto(GStrv) frames = g_strsplit(store_rows_text(rows, USER_STACK), " < ", -1);

	fprintf(out, "%s in %s, live %s in %s: %s\n", bytes, count, live, live_count,
		store_rows_text(rows, USER_KIND));
	for (guint i = 0; frames[i]; i++)
		fprintf(out, "    %s\n", frames[i]);
}

/* Of a site alone. Nothing where none was recorded. */
static gboolean print_user_stacks(Report *report, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;
	gboolean any = FALSE;

	if (!*report->options->site)
		return TRUE;
	rows = query(report, &user_section, error);
	while (store_rows_next(rows)) {
		if (!any)
			fputs("\nTotal allocated, by user stack\n", report->out);
		print_user_row(report->out, rows);
		any = TRUE;
	}
	return store_rows_done(rows, error);
}

static gboolean print_text(Report *report, const Head *head, GError **error)
{
	if (!print_head(report, head, error) || !print_table(report, &loss_section, error) ||
	    !print_table(report, &unmatched_section, error) || !print_growth(report, error))
		return FALSE;
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		if (!print_table(report, &sections[i], error))
			return FALSE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(old_sections); i++) {
		if (!print_old(report, &old_sections[i], error))
			return FALSE;
	}
	return print_user_stacks(report, error);
}

/* ---- JSON ---- */

static Printer report_answer(const Report *report)
{
	return (Printer){ .db = report->db,
			  .name = report->options->name,
			  .out = report->out,
			  .json = TRUE,
			  .interval = report->options->interval };
}

static gboolean print_json_section(Report *report, const Section *section, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;

	if (is_left_out(report, section))
		return TRUE;
	rows = query(report, section, error);
	if (!rows)
		return FALSE;
	fprintf(report->out, ",\n\"%s\": ", section->key);
	return rows_print(rows, ROWS_JSON, report->out, NULL, error);
}

/* What both the report and the totals begin with. */
static gboolean print_json_head(Report *report, Printer *printer, GError **error)
{
	static const Section *const head[] = {
		&trace_section,  &paths_section, &filters_section,
		&tracer_section, &loss_section,  &unmatched_section
	};

	if (!printer_begin(printer, error))
		return FALSE;
	for (size_t i = 0; i < G_N_ELEMENTS(head); i++) {
		if (!print_json_section(report, head[i], error))
			return FALSE;
	}
	return TRUE;
}

static gboolean print_json(Report *report, GError **error)
{
	g_auto(Printer) printer = report_answer(report);

	if (!print_json_head(report, &printer, error) ||
	    !print_json_section(report, &growth_section, error))
		return FALSE;
	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		if (!print_json_section(report, &sections[i], error))
			return FALSE;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(old_sections); i++) {
		if (!print_json_section(report, &old_sections[i], error))
			return FALSE;
	}
	if (*report->options->site && !print_json_section(report, &user_section, error))
		return FALSE;
	printer_end(&printer);
	return TRUE;
}

gboolean report_print(StoreDb *db, const ReportOptions *options, FILE *out, gboolean *incomplete,
		      GError **error)
{
	Report report = { .db = db, .options = options, .out = out };
	g_auto(Head) head = { 0 };

	g_snprintf(report.limit, sizeof(report.limit), "%d", options->limit);
	g_snprintf(report.older, sizeof(report.older), "%" G_GUINT64_FORMAT, options->older_ns);
	if (!read_head(&report, &head, error))
		return FALSE;
	*incomplete = report.incomplete;
	return options->json ? print_json(&report, error) : print_text(&report, &head, error);
}

/* ---- the totals alone ---- */

static const Section events_section = { "events", "report_events", NULL, "Events", WHOLE, NULL };
static const Section stat_section = { "stat", "report_stat", NULL, KINDS_TITLE, 0, NULL };

static gboolean print_stat_text(Report *report, const Head *head, GError **error)
{
	return print_head(report, head, error) && print_table(report, &events_section, error) &&
	       print_table(report, &stat_section, error) &&
	       print_table(report, &loss_section, error) &&
	       print_table(report, &unmatched_section, error);
}

static gboolean print_stat_json(Report *report, GError **error)
{
	g_auto(Printer) printer = report_answer(report);

	if (!print_json_head(report, &printer, error) ||
	    !print_json_section(report, &events_section, error) ||
	    !print_json_section(report, &stat_section, error))
		return FALSE;
	printer_end(&printer);
	return TRUE;
}

gboolean report_print_stat(StoreDb *db, const ReportOptions *options, FILE *out,
			   gboolean *incomplete, GError **error)
{
	Report report = { .db = db, .options = options, .out = out };
	g_auto(Head) head = { 0 };

	if (!read_head(&report, &head, error))
		return FALSE;
	*incomplete = report.incomplete;
	return options->json ? print_stat_json(&report, error)
			     : print_stat_text(&report, &head, error);
}
