// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user stat: the totals of a trace, without a database.
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "report/report.h"

int cmd_stat(int argc, char **argv)
{
	ReportOptions options = { .site = "" };
	g_autofree char *input = NULL;
	g_autoptr(StoreDb) db = NULL;
	gboolean incomplete = FALSE;
	StoreLoadResult result;
	GError *error = NULL;
	const GOptionEntry entries[] = {
		{ "input", 'i', 0, G_OPTION_ARG_FILENAME, &input,
		  "Read the trace FILE (default " CMD_DEFAULT_TRACE ")", "FILE" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE.kmt]",
			   "Says whether the trace can be trusted, and counts: events, what was allocated, freed "
			   "and is live of each kind, and what could not be matched. It makes no database.",
			   &argc, &argv))
		return EXIT_USAGE;
	if (input && argc > 1) {
		message("one file at a time: '%s' is too many", argv[1]);
		return EXIT_USAGE;
	}
	options.name = options_one_file(argc, argv, input ? input : CMD_DEFAULT_TRACE);
	if (!options.name)
		return EXIT_USAGE;
	if (source_check(options.name, &error))
		db = source_totals(options.name, &result, &error);
	if (!db || !report_print_stat(db, &options, stdout, &incomplete, &error))
		return message_failed(error);
	if (fflush(stdout) != 0) {
		message("can't write the totals");
		return EXIT_FAILED;
	}
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
