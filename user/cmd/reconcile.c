// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user reconcile: compare a trace with the kernel's own counters. */
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/summary/reconcile.h"

int cmd_reconcile(int argc, char **argv)
{
	ReconcileOptions options = { .limit = REPORT_ROWS };
	gboolean json = FALSE;
	const GOptionEntry entries[] = { { "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit,
					   "Rows of the table of slab caches (default 10)", "N" },
					 { "json", 0, 0, G_OPTION_ARG_NONE, &json,
					   "Print JSON: an object of arrays", NULL },
					 G_OPTION_ENTRY_NULL };

	if (!options_parse(
		    entries, "[FILE]",
		    "Compare a trace with the change of meminfo, slabinfo and buddyinfo in "
		    "the traced kernel, and show how much of it the trace explains. " CMD_FILE_HELP,
		    &argc, &argv) ||
	    !options_check_rows(options.limit))
		return EXIT_USAGE;
	return report_command_run(
		argc, argv,
		&(ReportCommand){ .print = reconcile_print, .options = &options, .json = json });
}
