// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user timeline: show live bytes over time. */
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/live/live.h"

#define STEPS       60
#define STEPS_UNSET G_MININT
#define STEPS_MIN   20 /* on a narrow terminal */
#define FIGURES     62 /* terminal columns beside the diagram, for figures */
#define FRAME       6  /* columns beside a diagram on a line of its own */
#define STEPS_MAX   1000

/* Returns as many steps as fit beside the figures, or on a line of their own if @given. */
static int fit_steps(int given)
{
	int width = terminal_width();

	if (!width)
		return given != STEPS_UNSET ? given : STEPS;
	return given != STEPS_UNSET ? MIN(given, MAX(width - FRAME, 1))
				    : CLAMP(width - FIGURES, STEPS_MIN, STEPS);
}

int cmd_timeline(int argc, char **argv)
{
	LiveOptions options = { .limit = REPORT_ROWS, .at_ns = -1 };
	int steps = STEPS_UNSET;
	g_autofree char *by = NULL;
	g_auto(Srcline) srcline = { FALSE };
	g_auto(FilterOptions) filters = { 0 };
	gboolean json = FALSE;
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by, REPORT_BY " (default kind)", "WHAT" },
		{ "steps", 0, 0, G_OPTION_ARG_INT, &steps,
		  "Number of time steps (default 60, or what fits the terminal; at most 1000)",
		  "N" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit,
		  "Rows, each a line of the diagram (default 10)", "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };

	if (!filter_options_parse(
		    &filters, groups, "[FILE]",
		    "Show live bytes over time. With --json, print a row for each step. " CMD_FILE_HELP,
		    &argc, &argv))
		return EXIT_USAGE;
	options.by = report_command_by(by, "kind");
	options.site = filter_options_site(&filters);
	if ((steps < 1 && steps != STEPS_UNSET) || steps > STEPS_MAX) {
		message("--steps must be between 1 and %d, not %d", STEPS_MAX, steps);
		return EXIT_USAGE;
	}
	options.steps = fit_steps(steps);
	if (!report_command_check(options.limit, options.by, NULL))
		return EXIT_USAGE;
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = live_print_timeline,
						    .options = &options,
						    .json = json,
						    .srcline = &srcline,
						    .selection = &filters.selection });
}
