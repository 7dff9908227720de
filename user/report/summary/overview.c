// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/overview.h"

#include <string.h>

#include "base/escape.h"
#include "base/terminal.h"
#include "report/leaks/leaks.h"
#include "report/print/rows.h"
#include "report/summary/head.h"

#define KINDS_TITLE "Totals by kind: separate accounts, never added up"
#define SITES_TITLE "Most live at the end, by call site (live is not leaked)"

#define SUSPECTS 3 /* that are named */

typedef struct {
	StoreDb *db;
	const ReportOptions *options;
	FILE *out;
} Overview;

static void print_heading(const Overview *overview, const char *text)
{
	fprintf(overview->out, "\n%s%s%s", terminal_style(STYLE_HEADING), text,
		terminal_style_end());
}

static gboolean print_table(const Overview *overview, const char *statement, const char *title,
			    GError **error)
{
	g_autofree char *limit = g_strdup_printf("%d", overview->options->limit);
	const char *params[] = { ":limit", limit, ":site", overview->options->site, NULL };
	g_autoptr(StoreRows) rows = store_query_named(overview->db, statement, params, error);

	if (!rows)
		return FALSE;
	print_heading(overview, title);
	fputc('\n', overview->out);
	return rows_print(rows, ROWS_REPORT, overview->out, NULL, error);
}

static gboolean print_suspects(const Overview *overview, const Head *head, gboolean *any,
			       GError **error)
{
	const Printer printer = {
		.db = overview->db,
		.name = overview->options->name,
		.out = overview->out,
		.interval = overview->options->interval,
		.completeness = head->completeness,
	};

	print_heading(overview, "Suspected leaks:");
	fputc(' ', overview->out);
	return leaks_print_short(&printer, overview->options->site, SUSPECTS, any, error);
}

/* As a shell takes it. For g_free(). */
static char *shell_word(const char *name)
{
	static const char fine[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/._-+,:@%=";

	return name[strspn(name, fine)] ? g_shell_quote(name) : g_strdup(name);
}

/* What to ask next, as commands that can be copied. */
static void print_next(const Overview *overview, gboolean suspects)
{
	const struct {
		const char *command, *answer;
		gboolean wanted;
	} next[] = {
		{ "leaks", "evidence for each suspect", suspects },
		{ "report --by stack", "call trees", TRUE },
		{ "report --full", "all tables", TRUE },
	};
	g_autofree char *file = shell_word(overview->options->name);

	print_heading(overview, "Next:");
	fputc('\n', overview->out);
	for (guint i = 0; i < G_N_ELEMENTS(next); i++) {
		g_autofree char *before = g_strdup_printf("  %-25s  kmemtrace-user %s ",
							  next[i].answer, next[i].command);

		if (next[i].wanted)
			escape_print_line(before, file, overview->out);
	}
}

gboolean overview_print(StoreDb *db, const ReportOptions *options, FILE *out, gboolean *incomplete,
			GError **error)
{
	const Overview overview = { .db = db, .options = options, .out = out };
	g_auto(Head) head = { 0 };
	gboolean suspects = FALSE;

	if (!head_read(&head, db, error) || !head_print(&head, db, options, FALSE, out, error) ||
	    !print_table(&overview, "overview_kinds", KINDS_TITLE, error) ||
	    !print_table(&overview, "overview_sites", SITES_TITLE, error) ||
	    !print_suspects(&overview, &head, &suspects, error))
		return FALSE;
	*incomplete = completeness_is_incomplete(&head.completeness);
	print_next(&overview, suspects);
	return TRUE;
}
