// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/message.h"
#include "cmd/common/report_command.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common/default_file.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "report/groups/groups.h"
#include "report/select/select.h"

const char *report_command_by(const char *by, const char *otherwise)
{
	return !by ? otherwise : strcmp(by, "process") ? by : "task";
}

/* Returns "a, b or c", for g_free(). */
static char *list_words(const char *const *words)
{
	GString *text = g_string_new(words[0]);

	for (guint i = 1; words[i]; i++)
		g_string_append_printf(text, "%s%s", words[i + 1] ? ", " : " or ", words[i]);
	return g_string_free(text, FALSE);
}

gboolean report_command_check(int limit, const char *by, const char *const *words)
{
	g_autofree char *all = NULL;

	if (!options_check_rows(limit))
		return FALSE;
	words = words ?: groups_words;
	if (g_strv_contains(words, strcmp(by, "task") ? by : "process"))
		return TRUE;
	all = list_words(words);
	message("invalid --by '%s' (expected %s)", by, all);
	return FALSE;
}

static gboolean prepare(StoreDb *db, const ReportCommand *command, GError **error)
{
	return (!command->srcline || srcline_open(command->srcline, db, error)) &&
	       select_restrict(db, command->selection, error);
}

int report_command_run(int argc, char **argv, const ReportCommand *command)
{
	const char *path = default_file_or_argument(argc, argv, DEFAULT_ANY);

	return path ? report_command_run_on(path, command) : EXIT_USAGE;
}

int report_command_run_on(const char *path, const ReportCommand *command)
{
	GError *error = NULL;
	g_autoptr(StoreDb) db = input_open(path, &error);
	g_auto(Printer) printer = { .db = db,
				    .name = path,
				    .out = stdout,
				    .json = command->json,
				    .selection = command->selection };

	if (!db || !prepare(db, command, &error) ||
	    !printer_print(&printer, command->print, command->options, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the answer"))
		return EXIT_FAILED;
	return completeness_is_incomplete(&printer.completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}
