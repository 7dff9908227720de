// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user churn: show call sites with frequent and short-lived allocations. */
#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/lifetimes/churn.h"

#define TEMPORARY_MAX 64 /* the highest class in a database; lower ones are powers of two */

int cmd_churn(int argc, char **argv)
{
	ChurnOptions options = { .limit = REPORT_ROWS, .within = 1 };
	gboolean json = FALSE;
	g_auto(FilterOptions) filters = { 0 };
	const GOptionEntry entries[] = {
		{ "temporary", 0, 0, G_OPTION_ARG_INT, &options.within,
		  "Count an allocation as temporary if its thread freed it within N further allocations: 1 (default), 2, 4 … 64",
		  "N" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit,
		  "Rows of each table (default 10)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };
	static const char *const dimensions[] = { "site", NULL };

	if (!filter_options_parse(&filters, groups, "[FILE]",
				  "Show the call sites that allocate most often, and those whose "
				  "allocations are freed at once. " CMD_FILE_HELP,
				  &argc, &argv))
		return EXIT_USAGE;
	if (options.within < 1 || options.within > TEMPORARY_MAX ||
	    options.within & (options.within - 1)) {
		message("--temporary must be a power of two from 1 to %d, not %d", TEMPORARY_MAX,
			options.within);
		return EXIT_USAGE;
	}
	options.site = filter_options_site(&filters);
	if (!report_command_check(options.limit, "site", dimensions))
		return EXIT_USAGE;
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = churn_print,
						    .options = &options,
						    .json = json,
						    .selection = &filters.selection });
}
