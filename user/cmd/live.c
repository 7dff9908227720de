// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user live: show live memory at a time, or at the peak of each kind. */
#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/live/live.h"
#include "report/print/interval.h"

#define AT_PEAK "peak" /* the time at which the most memory of a kind was live */

typedef struct {
	LiveOptions memory;
	const char *at; /* NULL: the end; or AT_PEAK */
} Options;

static gboolean print(const Printer *printer, gconstpointer data, GError **error)
{
	const Options *options = data;
	LiveOptions memory = options->memory;

	if (g_strcmp0(options->at, AT_PEAK) == 0)
		return live_print_peak(printer, &memory, error);
	return (!options->at || interval_time(printer->db, options->at, &memory.at_ns, error)) &&
	       live_print_live(printer, &memory, error);
}

/* @when: default of --at; NULL: the end. */
static int run(int argc, char **argv, const char *when)
{
	Options options = { .memory = { .limit = REPORT_ROWS, .at_ns = -1 } };
	g_autofree char *by = NULL, *at = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;
	g_auto(FilterOptions) filters = { 0 };
	const GOptionEntry entries[] = {
		{ "at", 0, 0, G_OPTION_ARG_STRING, &at,
		  "Time after the first event, or mark, or peak (default: the end)", "TIME" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by, REPORT_BY " (default site)", "WHAT" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.memory.limit,
		  "Rows of each kind (default 10)", "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };

	if (!filter_options_parse(
		    &filters, groups, "[FILE]",
		    "Show what was live at a time (default: the end), or when most was live. " CMD_FILE_HELP,
		    &argc, &argv))
		return EXIT_USAGE;
	options.at = at ? at : when;
	if (g_strcmp0(options.at, AT_PEAK) == 0 &&
	    !filter_options_refuse(
		    &filters, SELECT_TIMES,
		    "cannot be combined with --at peak, which is of the whole trace"))
		return EXIT_USAGE;
	options.memory.by = report_command_by(by, "site");
	options.memory.site = filter_options_site(&filters);
	if (!report_command_check(options.memory.limit, options.memory.by, NULL))
		return EXIT_USAGE;
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = print,
						    .options = &options,
						    .json = json,
						    .srcline = &srcline,
						    .selection = &filters.selection });
}

int cmd_live(int argc, char **argv)
{
	return run(argc, argv, NULL);
}

int cmd_peak(int argc, char **argv)
{
	return run(argc, argv, AT_PEAK);
}
