// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/overview.h"

#include "base/escape.h"
#include "base/terminal.h"
#include "report/leaks/leaks_overview.h"
#include "report/summary/head.h"

#define FAILED_TITLE "Failed allocations, by call site"
#define BOOT_TITLE   "Boot: the largest steps; slab objects and pages are separate accounts"

#define SUSPECTS 3   /* number of listed suspects */
#define SOME     "3" /* rows of tables that only some traces have */

/* Contents of the trace. */
typedef struct {
	gboolean suspects, failed, boot;
} Found;

/* Prints the commands to run next, which can be copied. */
static gboolean print_next(const Printer *printer, const Found *found, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(printer->db, "overview_next", NULL, error);
	g_autofree char *module = rows ? escape_shell_word(store_rows_text(rows, 0)) : NULL;
	g_autofree char *module_command = g_strconcat("module ", module, NULL);
	const struct {
		const char *command, *answer;
		gboolean wanted;
	} next[] = {
		{ "leaks", "evidence for each suspect", found->suspects },
		{ "query failed", "stacks of failed ones", found->failed },
		{ module_command, "what a module left", module && *module },
		{ "query boot", "steps of booting", found->boot },
		{ "report --by stack --metric live", "call trees of live memory", TRUE },
		{ "report --full", "all tables", TRUE },
	};
	g_autofree char *file = escape_shell_word(printer->name);

	if (!rows)
		return FALSE;
	terminal_print_heading("Next:", printer->out);
	for (guint i = 0; i < G_N_ELEMENTS(next); i++) {
		g_autofree char *before = g_strdup_printf("  %-25s  kmemtrace-user %s ",
							  next[i].answer, next[i].command);

		if (next[i].wanted)
			escape_print_line(before, file, printer->out);
	}
	return TRUE;
}

/* Prints the first rows of @sql, which is about the whole trace, if there are any. */
static gboolean print_some(const Printer *printer, const ReportOptions *options, const char *title,
			   const char *sql, gboolean *any, GError **error)
{
	const char *const params[] = {
		":limit", SOME, ":lines", SOME, ":site", options->site, NULL
	};
	g_autoptr(StoreRows) rows = NULL;

	if (selection_is_part(options->selection, SELECT_BIT(SELECT_SITE)))
		return TRUE;
	rows = store_query_named(printer->db, sql, params, error);
	if (!rows)
		return FALSE;
	*any = store_rows_next(rows);
	return store_rows_done(rows, error) &&
	       (!*any || printer_table(printer, NULL, title, sql, params, error));
}

gboolean overview_print(StoreDb *db, const ReportOptions *options, FILE *out, gboolean *incomplete,
			GError **error)
{
	g_auto(Head) head = { 0 };
	const char *const params[] = { ":site", options->site, NULL };
	Found found = { FALSE };
	Printer printer;

	if (!head_read(&head, db, error) || !head_print(&head, db, options, FALSE, out, error))
		return FALSE;
	printer = (Printer){ .db = db,
			     .name = options->name,
			     .out = out,
			     .selection = options->selection,
			     .completeness = head.completeness };
	if (!printer_table(&printer, NULL, REPORT_KINDS_TITLE, "overview_kinds", params, error) ||
	    !print_some(&printer, options, FAILED_TITLE, "report_failed", &found.failed, error) ||
	    (!*options->site &&
	     !print_some(&printer, options, BOOT_TITLE, "query_boot", &found.boot, error)) ||
	    !leaks_overview_print(&printer, options->site, (guint)options->limit, SUSPECTS,
				  &found.suspects, error))
		return FALSE;
	*incomplete = completeness_is_incomplete(&head.completeness);
	/* These commands are about the whole trace. */
	return *options->site || selection_is_part(options->selection, 0) ||
	       print_next(&printer, &found, error);
}
