// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/head.h"

#include <string.h>

#include "base/escape.h"
#include "base/units.h"
#include "report/print/coverage.h"
#include "store/store.h"

#define COMMAND_MAX 120 /* displayed characters of the recorded command */
#define MARKS       5   /* number of displayed marks */

void head_clear(Head *head)
{
	g_free(head->release);
	g_free(head->source);
	g_free(head->machine);
	g_free(head->command);
	completeness_clear(&head->completeness);
}

static void take_fact(StoreRows *rows, int column, Head *head)
{
	const struct {
		const char *name;
		char **text;
		gint64 *number;
	} facts[] = {
		{ "release", &head->release, NULL },
		{ "machine", &head->machine, NULL },
		{ "source", &head->source, NULL },
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

gboolean head_read(Head *head, StoreDb *db, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "report_trace", NULL, error);

	if (store_rows_next(rows)) {
		for (int i = 0; i < store_rows_columns(rows); i++)
			take_fact(rows, i, head);
		return completeness_read(db, &head->completeness, error);
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

/* Prints completeness first. */
static void print_verdict(FILE *out, const Head *head)
{
	const Completeness *completeness = &head->completeness;

	completeness_print(completeness, 0, out);
	if (completeness->cut)
		fprintf(out,
			"  its recorder did not finish, or is still writing: if it was killed%s\n",
			g_strcmp0(head->source, "bpf") == 0
				? ", the rest is lost"
				: " and that machine still runs, kmemtrace-user extract has the rest");
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

/* Shortens the recorded command. JSON has it in full. */
static char *short_command(const char *command)
{
	g_autofree char *start = NULL;

	if (g_utf8_strlen(command, -1) <= COMMAND_MAX)
		return g_strdup(command);
	start = g_utf8_substring(command, 0, COMMAND_MAX - 1);
	return g_strconcat(start, "…", NULL);
}

/* Prints the first marks of the trace, which --from, --to and --between accept. */
static gboolean print_marks(StoreDb *db, FILE *out, GError **error)
{
	const char *const params[] = { ":limit", G_STRINGIFY(MARKS), NULL };
	g_autoptr(StoreRows) rows = store_query_named(db, "html_marks", params, error);
	const char *before = "       marks: ";

	while (store_rows_next(rows)) {
		g_autofree char *time = units_format_time(store_rows_int(rows, 0));

		g_autofree char *word = escape_shell_word(store_rows_text(rows, 1));

		fprintf(out, "%s%s (%s)", before, word, time);
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', out);
	return store_rows_done(rows, error);
}

gboolean head_print(const Head *head, StoreDb *db, const ReportOptions *options, gboolean memory,
		    FILE *out, GError **error)
{
	g_autofree char *events = units_format_count(head->events);
	g_autofree char *span = units_format_time(head->span_ns);
	g_autofree char *command = short_command(head->command ? head->command : "");

	escape_print_line("Trace: ", options->name, out);
	fprintf(out, "       Linux %s %s, %" G_GINT64_FORMAT " CPU%s, %s events in %s%s\n",
		head->release, head->machine, head->cpus, head->cpus == 1 ? "" : "s", events, span,
		g_strcmp0(head->source, "bpf") == 0 ? ", by BPF programs" : "");
	if (command[0])
		fprintf(out, "       of: %s\n", command);
	if (!print_marks(db, out, error))
		return FALSE;
	if (memory &&
	    (!coverage_print_memory(db, out, error) || !coverage_print_cost(db, out, error)))
		return FALSE;
	print_verdict(out, head);
	print_ticks(out, head);
	selection_print(options->selection, FALSE, out);
	return coverage_print_limits(db, 2, out, error);
}
