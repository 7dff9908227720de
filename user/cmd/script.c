// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user script: the events themselves.
 */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "cmd/srcline.h"
#include "report/script.h"

int cmd_script(int argc, char **argv)
{
	ScriptOptions options = { 0 };
	g_auto(Srcline) srcline = { FALSE };
	GError *error = NULL;
	const char *path;
	const GOptionEntry entries[] = {
		{ "stacks", 0, 0, G_OPTION_ARG_NONE, &options.stacks, "Print each event's stack below it", NULL },
		SRCLINE_ENTRIES(srcline),
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE.kmt]",
			   "Prints the events of the trace FILE.kmt (default " CMD_DEFAULT_TRACE ") in order of "
			   "time, one a line. Behind the CPU stands the context: . thread, s soft interrupt, "
			   "h hard interrupt.", &argc, &argv))
		return EXIT_USAGE;
	path = options_one_file(argc, argv, CMD_DEFAULT_TRACE);
	if (!path)
		return EXIT_USAGE;
	options.lines = srcline_is_wanted(&srcline);
	options.stacks |= options.lines;
	options.places = srcline_places(&srcline);
	if (!source_check(path, &error) || !script_print(path, &options, stdout, &error))
		return message_failed(error);
	return message_wrote_stdout("the events") ? EXIT_FINE : EXIT_FAILED;
}
