// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/report.h"

#include "base/terminal.h"
#include "base/units.h"
#include "report/groups/tracer_memory.h"
#include "report/leaks/leaks_overview.h"
#include "report/print/printer.h"
#include "report/print/rows.h"
#include "report/summary/head.h"
#include "store/query/temp_table.h"

#define SLAB_TITLE "slab objects and large kmallocs, by call site"
#define PAGES_TITLE                                                                                \
	"pages, by call site (without those that back slabs, large kmallocs or per-CPU memory)"
#define VMALLOC_TITLE "addresses of vmalloc space, by call site (the memory in them is pages)"

/* A table. */
typedef struct {
	const char *key;
	const char *sql;   /* its statement */
	const char *kind;  /* of memory, for the statement */
	const char *title; /* of old memory: "%s" is the kind */
	enum {
		OPTIONAL = 1, /* left out in text without rows */
		WHOLE = 2,    /* about the whole trace: left out for a part of it, */
		OF_SITE = 4,  /* with WHOLE: shown for a single site, too */
	} flags;
	const char *note; /* line below it, if it has rows; or NULL */
} Section;

/* The tables of the head. */
static const Section trace_section = { "trace", "report_trace", NULL, NULL, 0, NULL };
static const Section paths_section = { "paths", "report_paths", NULL, NULL, 0, NULL };
static const Section filters_section = { "filters", "report_filters", NULL, NULL, 0, NULL };
static const Section tracer_section = { "tracer", "report_tracer", NULL, NULL, 0, NULL };
static const Section cost_section = { "cost", "report_cost", NULL, NULL, 0, NULL };
static const Section loss_section = { "loss", "report_loss", NULL, "Lost, by CPU and reason",
				      0,      NULL };
static const Section unmatched_section = {
	"unmatched", "report_unmatched",
	NULL,        "Unmatched frees and failed allocations, by class",
	WHOLE,       "'before': allocated before the trace began, which is normal",
};
static const Section growth_section = { "growth", "report_growth", NULL, NULL, WHOLE, NULL };

#define UNMATCHED_INCOMPLETE                                                                       \
	"'before': allocated before the trace began, or the allocation was lost, or on a path that was not traced"

/* The sections after the head, in order. */
static const Section sections[] = {
	{ "kinds", "report_kinds", NULL, REPORT_KINDS_TITLE, 0,
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
	{ "failed", "report_failed", NULL, "Failed allocations, by call site",
	  OPTIONAL | WHOLE | OF_SITE, "kmemtrace-user query failed has their stacks" },
	{ "lifetimes", "query_lifetimes", NULL, "Lifetimes of freed allocations, by call site", 0,
	  NULL },
	{ "fragmentation", "report_fragmentation", NULL,
	  "Fragmentation: pages taken from blocks of another type, by call site",
	  OPTIONAL | WHOLE | OF_SITE, NULL },
	{ "boot", "query_boot", NULL,
	  "Boot: the largest steps; nr is the order of their first allocations; slab objects and pages are separate accounts",
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

/* Old live memory: of slabs and pages together, then of the other kinds. */
static const Section old_sections[] = {
	{ "old", "report_old", "", "%s, by stack", 0, NULL },
	{ "old_percpu", "report_old", "percpu", "%s, by stack: per-CPU memory, on all CPUs",
	  OPTIONAL, NULL },
	{ "old_vmalloc", "report_old", "vmalloc", "%s, by stack: addresses of vmalloc space",
	  OPTIONAL, NULL },
};

/* Only with a site: the user stacks that reached it. */
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
	/* ":lines" is the name in named queries. */
	const char *params[] = { ":limit",    report->limit,         ":lines", report->limit,
				 ":site",     report->options->site, ":kind",  section->kind ?: "",
				 ":older_ns", report->older,         NULL };

	return store_query_named(report->db, section->sql, params, error);
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

/* Returns whether a section would cover more than the selection. */
static gboolean is_left_out(const Report *report, const Section *section)
{
	if (!(section->flags & WHOLE))
		return FALSE;
	return selection_is_part(report->options->selection, SELECT_BIT(SELECT_SITE)) ||
	       (*report->options->site && !(section->flags & OF_SITE));
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
	terminal_print_heading(section->title, report->out);
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
	fprintf(report->out, "\n%sSlab growth%s: ", terminal_style(STYLE_HEADING),
		terminal_style_end());
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

/* Prints a line of figures, then the stack, innermost first, one frame per line. */
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
	guint64 older_ns = report->options->older_ns;
	g_autofree char *age = older_ns ? units_format_age(older_ns) : NULL;
	g_auto(GStrv) parts = g_strsplit(title, "%s", 2);
	g_autofree char *whole = g_strconcat("Live", age ? " and older than " : " at the end",
					     age ?: "", parts[1], NULL);

	terminal_print_heading(whole, report->out);
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

/* ---- user stacks of one site ---- */

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

/* Only with a site. Prints nothing if none were recorded. */
static gboolean print_user_stacks(Report *report, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;
	gboolean any = FALSE;

	if (!*report->options->site)
		return TRUE;
	rows = query(report, &user_section, error);
	while (store_rows_next(rows)) {
		if (!any)
			terminal_print_heading("Total allocated, by user stack", report->out);
		print_user_row(report->out, rows);
		any = TRUE;
	}
	return store_rows_done(rows, error);
}

/* As in the overview, without the tracer's memory. */
static gboolean print_suspects(Report *report, const Head *head, GError **error)
{
	const Printer printer = { .db = report->db,
				  .name = report->options->name,
				  .out = report->out,
				  .selection = report->options->selection,
				  .completeness = head->completeness };
	gboolean any;

	return (*report->options->site ||
		tracer_memory_print(&printer, "\n" TRACER_MEMORY_INCLUDED, "site", error)) &&
	       leaks_overview_print(&printer, report->options->site, 0,
				    (guint)report->options->limit, &any, error);
}

static gboolean print_text(Report *report, const Head *head, GError **error)
{
	if (!head_print(head, report->db, report->options, TRUE, report->out, error) ||
	    !print_table(report, &loss_section, error) ||
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
	return print_suspects(report, head, error) && print_user_stacks(report, error);
}

/* ---- JSON ---- */

static Printer report_answer(const Report *report)
{
	return (Printer){ .db = report->db,
			  .name = report->options->name,
			  .out = report->out,
			  .json = TRUE,
			  .selection = report->options->selection };
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

/* Prints the common start of the report and the totals. */
static gboolean print_json_head(Report *report, Printer *printer, GError **error)
{
	static const Section *const head[] = { &trace_section,    &paths_section, &filters_section,
					       &tracer_section,   &cost_section,  &loss_section,
					       &unmatched_section };

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
	if (!head_read(&head, db, error) || !temp_view_create(db, "report_sites", error))
		return FALSE;
	*incomplete = report.incomplete = completeness_is_incomplete(&head.completeness);
	return options->json ? print_json(&report, error) : print_text(&report, &head, error);
}

/* ---- totals ---- */

static const Section events_section = { "events", "report_events", NULL, "Events", WHOLE, NULL };
static const Section stat_section = { "stat", "report_stat", NULL, REPORT_KINDS_TITLE, 0, NULL };

static gboolean print_stat_text(Report *report, const Head *head, GError **error)
{
	return head_print(head, report->db, report->options, TRUE, report->out, error) &&
	       print_table(report, &events_section, error) &&
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

	if (!head_read(&head, db, error))
		return FALSE;
	*incomplete = report.incomplete = completeness_is_incomplete(&head.completeness);
	return options->json ? print_stat_json(&report, error)
			     : print_stat_text(&report, &head, error);
}
