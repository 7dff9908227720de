// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user peak: when was most live, and what was it?
 */
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/live/live.h"

static const char *const dimensions[] = {
	"site", "stack", "cache", "module", "task", "thread", NULL
};

int cmd_peak(int argc, char **argv)
{
	LiveOptions options = { .limit = QUESTION_LIMIT, .at_ns = -1 };
	g_autofree char *by = NULL, *site = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "Group by site (default), stack, cache, module, task or thread", "WHAT" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site,
		  "Show only allocations made by FUNCTION", "FUNCTION" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit,
		  "Rows of each kind (default 10)", "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(
		    entries, "[FILE]",
		    "Show when most memory of each kind was live, and what was live then. " CMD_FILE_HELP,
		    &argc, &argv))
		return EXIT_USAGE;
	options.by = by ? by : "site";
	options.site = site ? site : "";
	if (!report_command_check(options.limit, options.by, dimensions))
		return EXIT_USAGE;
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = live_print_peak,
						    .options = &options,
						    .site = options.site,
						    .json = json,
						    .srcline = &srcline });
}
