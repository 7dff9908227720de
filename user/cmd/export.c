// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user export: write call trees for other tools, or a page for a browser. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/common/calltree_options.h"
#include "cmd/common/default_file.h"
#include "cmd/common/dot_output.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/html_output.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/output_file.h"
#include "cmd/common/report_command.h"
#include "cmd/common/srcline.h"
#include "report/export/formats.h"
#include "report/print/completeness.h"
#include "report/select/select.h"

#define LINES_UNSET G_MININT

typedef struct {
	CalltreeOptions args;
	char *format, *output;
	int lines; /* of a graph; LINES_UNSET: not given */
	const ExportFormat *found;
	CallsOptions options;
	FilterOptions filters;
	Srcline srcline;
} Wanted;

static void wanted_clear(Wanted *wanted)
{
	calltree_options_clear(&wanted->args);
	filter_options_clear(&wanted->filters);
	g_clear_pointer(&wanted->format, g_free);
	g_clear_pointer(&wanted->output, g_free);
	srcline_clear(&wanted->srcline);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Wanted, wanted_clear)

static gboolean is_format(const Wanted *wanted, const char *name)
{
	return strcmp(wanted->format, name) == 0;
}

/* Rejects options of trees for a page, which has everything. */
static gboolean check_page(const Wanted *wanted)
{
	if (!wanted->output)
		message("--format html needs -o FILE");
	else if (calltree_options_given(&wanted->args) || wanted->lines != LINES_UNSET)
		message("--format html writes everything into one page: it takes no options but filters and those of source lines");
	else
		return TRUE;
	return FALSE;
}

/* A graph has only as many functions as fit a picture; other formats have all stacks. */
static gboolean check_graph(Wanted *wanted)
{
	wanted->options.lines = wanted->lines == LINES_UNSET ? DOT_FUNCTIONS : wanted->lines;
	if (!wanted->args.percent_limit)
		wanted->options.percent_limit = CALLTREE_PERCENT;
	return wanted->lines == LINES_UNSET || options_check_rows(wanted->lines);
}

static gboolean check_trees(const Wanted *wanted)
{
	if (wanted->lines != LINES_UNSET || wanted->args.caller || wanted->args.callee ||
	    wanted->args.percent_limit)
		message("--format %s writes all stacks: --caller, --callee, --percent-limit and -n need --format dot",
			wanted->format);
	else if (wanted->found->whole && (wanted->filters.from || wanted->filters.to))
		message("--format %s covers the whole trace: it takes no --from and --to",
			wanted->format);
	else if (wanted->found->binary && !wanted->output && isatty(STDOUT_FILENO))
		message("refusing to write binary data (%s) to a terminal (use -o FILE)",
			wanted->format);
	else
		return TRUE;
	return FALSE;
}

/* Returns the names of all formats, for g_free(). */
static char *format_names(void)
{
	g_autofree char *names = export_names();

	return g_strconcat(names, ", html or dot", NULL);
}

static gboolean check(Wanted *wanted)
{
	g_autofree char *names = format_names();

	if (!wanted->format) {
		message("--format is missing (expected %s)", names);
		return FALSE;
	}
	if (!g_strcmp0(wanted->output, "-"))
		g_clear_pointer(&wanted->output, g_free);
	if (is_format(wanted, "html"))
		return check_page(wanted);
	wanted->found = export_find(wanted->format);
	if (!wanted->found && !is_format(wanted, "dot")) {
		message("invalid --format '%s' (expected %s)", wanted->format, names);
		return FALSE;
	}
	if (!calltree_options_read(&wanted->args, &wanted->filters, TRUE, &wanted->options))
		return FALSE;
	wanted->srcline.wanted |= wanted->options.view.by_subsystem;
	return wanted->found ? check_trees(wanted) : check_graph(wanted);
}

static gboolean parse(int *argc, char ***argv, Wanted *wanted)
{
	g_autofree GOptionEntry *choice = calltree_options_choice(&wanted->args);
	g_autofree GOptionEntry *view = calltree_options_view(&wanted->args);
	g_autofree char *names = format_names();
	g_autofree char *help = g_strconcat("Format: ", names, NULL);
	const GOptionEntry entries[] = { { "format", 'f', 0, G_OPTION_ARG_STRING, &wanted->format,
					   help, "FORMAT" },
					 { "output", 'o', 0, G_OPTION_ARG_FILENAME, &wanted->output,
					   "Write to FILE (default: standard output)", "FILE" },
					 { "lines", 'n', 0, G_OPTION_ARG_INT, &wanted->lines,
					   "Rows: the functions of a graph (default 80)", "N" },
					 SRCLINE_ENTRIES(wanted->srcline),
					 G_OPTION_ENTRY_NULL };
	const GOptionEntry *const groups[] = { entries, view, choice, NULL };

	return filter_options_parse(
		       &wanted->filters, groups, "--format FORMAT [FILE]",
		       "Write the call trees of a trace for other tools, or a page for a browser. " CMD_FILE_HELP,
		       argc, argv) &&
	       check(wanted);
}

typedef struct {
	const ExportFormat *format;
	Export *export;
} Printing;

static gboolean print(gpointer data, FILE *out, GError **error)
{
	const Printing *printing = data;

	printing->export->out = out;
	return printing->format->print(printing->export, error);
}

/* Returns the description of the trace in a file, for g_free(). */
static char *describe(const Export *export, const Completeness *completeness,
		      const Selection *selection)
{
	g_autofree char *summary = completeness_summary(completeness),
			*description = selection_describe(selection),
			*interval = calls_interval(export->db, export->options);
	GString *text = g_string_new(summary ? summary : "complete; no event was lost");

	if (completeness->sample > 1)
		g_string_append_printf(text,
				       "; 1 in %" G_GINT64_FORMAT " SAMPLED: figures are scaled",
				       completeness->sample);
	if (description)
		g_string_append_printf(text, "; %s", description);
	if (interval)
		g_string_append_printf(text, "; %s", interval);
	return g_string_free(text, FALSE);
}

static int export_page(int argc, char **argv, Wanted *wanted)
{
	return report_command_run(argc, argv,
				  &(ReportCommand){
					  .print = html_output_print,
					  .options = wanted->output,
					  .srcline = &wanted->srcline,
					  .selection = &wanted->filters.selection,
				  });
}

static int export_dot(int argc, char **argv, Wanted *wanted)
{
	g_autofree char *chosen = calltree_options_text(&wanted->args, &wanted->filters);

	return dot_output_print(argc, argv,
				&(DotOutput){
					.options = &wanted->options,
					.chosen = chosen,
					.srcline = &wanted->srcline,
					.selection = &wanted->filters.selection,
					.path = wanted->output,
				});
}

static int export_trees(int argc, char **argv, Wanted *wanted)
{
	g_autoptr(StoreDb) db = NULL;
	g_auto(Completeness) completeness = { 0 };
	g_autofree char *description = NULL, *notes = NULL;
	Export export = { .options = &wanted->options, .notes = &notes };
	Printing printing = { .export = &export };
	GError *error = NULL;

	export.name = default_file_or_argument(argc, argv, DEFAULT_ANY);
	if (!export.name)
		return EXIT_USAGE;
	export.db = db = input_open(export.name, &error);
	if (!db || !completeness_read(db, &completeness, &error) ||
	    !srcline_open(&wanted->srcline, db, &error) ||
	    !select_restrict(db, &wanted->filters.selection, &error))
		return message_failed(error);
	export.completeness = description =
		describe(&export, &completeness, &wanted->filters.selection);
	printing.format = wanted->found;
	export.every = wanted->found->every;
	if (!output_file_write(wanted->output, wanted->found->name, db, print, &printing, &error))
		return message_failed(error);
	if (notes)
		message("%s", notes);
	if (completeness_is_incomplete(&completeness))
		message("%s", export.completeness);
	return completeness_is_incomplete(&completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}

int cmd_export(int argc, char **argv)
{
	g_auto(Wanted) wanted = { .lines = LINES_UNSET };

	if (!parse(&argc, &argv, &wanted))
		return EXIT_USAGE;
	if (is_format(&wanted, "html"))
		return export_page(argc, argv, &wanted);
	if (is_format(&wanted, "dot"))
		return export_dot(argc, argv, &wanted);
	return export_trees(argc, argv, &wanted);
}
