// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/message.h"
#include "cmd/common/report_command.h"

#include <stdio.h>

#include "cmd/common/default_file.h"
#include "cmd/common/options.h"
#include "cmd/common/source.h"
#include "report/groups/site.h"

gboolean report_command_check(int limit, const char *by, const char *const *dimensions)
{
	g_autofree char *all = g_strjoinv(", ", (char **)dimensions);

	if (!options_check_rows(limit))
		return FALSE;
	if (g_strv_contains(dimensions, by))
		return TRUE;
	message("invalid --by '%s' (expected %s)", by, all);
	return FALSE;
}

static gboolean prepare(StoreDb *db, const ReportCommand *command, GError **error)
{
	const char *site = command->site;

	return (!site || !*site || site_check(db, site, error)) &&
	       (!command->srcline || srcline_open(command->srcline, db, error)) &&
	       interval_restrict(db, command->interval, error);
}

int report_command_run(int argc, char **argv, const ReportCommand *command)
{
	const char *path = default_file_or_argument(argc, argv, DEFAULT_ANY);

	return path ? report_command_run_on(path, command) : EXIT_USAGE;
}

int report_command_run_on(const char *path, const ReportCommand *command)
{
	GError *error = NULL;
	g_autoptr(StoreDb) db = source_open(path, &error);
	g_auto(Printer) printer = { .db = db,
				    .name = path,
				    .out = stdout,
				    .json = command->json,
				    .interval = command->interval };

	if (!db || !prepare(db, command, &error) ||
	    !printer_print(&printer, command->print, command->options, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the answer"))
		return EXIT_FAILED;
	return completeness_is_incomplete(&printer.completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}
