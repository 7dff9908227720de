// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user load: makes a trace into a database.
 */
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"

static void say_loaded(const char *db_path, const StoreLoadResult *result)
{
	g_autofree char *events = units_format_count(result->events);
	g_autofree char *rows = units_format_count(result->rows);
	g_autofree char *lost = units_format_count(result->lost);

	message("loaded %s events, %s allocations, into %s", events, rows, db_path);
	if (result->lost)
		message("INCOMPLETE: %s events were lost while recording; the report says where", lost);
	if (result->cut)
		message("INCOMPLETE: the trace has no end: its recorder did not finish");
}

int cmd_load(int argc, char **argv)
{
	g_autofree char *output = NULL;
	const char *path;
	StoreLoadResult result;
	GError *error = NULL;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Make the database FILE (default: beside the trace, with .db for .kmt)", "FILE" },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE.kmt]",
			   "Puts the trace FILE.kmt (default " CMD_DEFAULT_TRACE ") in order of time, pairs "
			   "frees with allocations, and stores the result in an SQLite database.",
			   &argc, &argv))
		return EXIT_USAGE;
	path = options_one_file(argc, argv, CMD_DEFAULT_TRACE);
	if (!path)
		return EXIT_USAGE;
	if (!output)
		output = source_db_path(path);
	if (!source_load(path, output, &result, &error))
		return message_failed(error);
	say_loaded(output, &result);
	return result.lost || result.cut ? EXIT_INCOMPLETE : EXIT_FINE;
}
