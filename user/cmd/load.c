// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user load: load a trace into an SQLite database. */
#include <sys/stat.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"

/* Prints a summary of the database, and returns the exit code. */
static int say_loaded(const char *db_path, const StoreLoadResult *result)
{
	g_autofree char *events = units_format_count(result->events);
	g_autofree char *rows = units_format_count(result->rows);
	g_autoptr(StoreDb) db = NULL;
	GError *error = NULL;

	message("loaded %s events, %s allocations, into %s", events, rows, db_path);
	db = store_open(db_path, &error);
	return input_judge(db, error);
}

/* Returns FALSE with an error if the database would replace the trace itself or another file. */
static gboolean may_replace(const char *trace, const char *output, GError **error)
{
	struct stat from, to;

	if (stat(output, &to) != 0)
		return TRUE;
	if (stat(trace, &from) == 0 && from.st_dev == to.st_dev && from.st_ino == to.st_ino) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s is the trace itself",
			    output);
		return FALSE;
	}
	return TRUE;
}

int cmd_load(int argc, char **argv)
{
	g_autofree char *output = NULL;
	const char *default_path;
	const char *const *paths = &default_path;
	guint count = 1;
	StoreLoadResult result;
	GError *error = NULL;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write the database to FILE (default: the trace's name with .db)", "FILE" },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE.kmt…]",
			   "Merge the events of the trace FILE.kmt (" CMD_TRACE_HELP
			   ") by time, pair frees with allocations, and store the lifetimes in "
			   "an SQLite database. Several files must be parts of one recording; "
			   "their order does not matter.",
			   &argc, &argv))
		return EXIT_USAGE;
	if (argc > 1) {
		paths = (const char *const *)argv + 1;
		count = argc - 1;
	} else {
		default_path = default_file_find(DEFAULT_TRACE);
		if (!default_path)
			return EXIT_USAGE;
	}
	if (count > 1 && !output) {
		message("several files are loaded into one database: name it with -o");
		return EXIT_USAGE;
	}
	if (!output)
		output = input_db_path(paths[0]);
	for (guint i = 0; i < count; i++) {
		if (!input_check_trace("load", paths[i], &error) ||
		    !may_replace(paths[i], output, &error))
			return message_failed(error);
	}
	if (!input_load(paths, count, output, &result, &error))
		return message_failed(error);
	return say_loaded(output, &result);
}
