// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user peak: when was most live, and what was it?
 */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/question.h"
#include "report/memory.h"

static const char *const dimensions[] = { "site", "stack", "cache", "module", "task", NULL };

int cmd_peak(int argc, char **argv)
{
	MemoryOptions options = { .limit = QUESTION_LIMIT, .at_ns = -1 };
	g_autofree char *by = NULL, *site = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "By site (default), stack, cache, module or task", "WHAT" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site, "Only what this function called for", "FUNCTION" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Rows of each kind (default 10)", "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "When was most live of each kind, how much, and what was it? "
			   "FILE is a .kmt, which is loaded first, or a .db (default " CMD_DEFAULT_TRACE ").",
			   &argc, &argv))
		return EXIT_USAGE;
	options.by = by ? by : "site";
	options.site = site ? site : "";
	if (!question_check(options.limit, options.by, dimensions))
		return EXIT_USAGE;
	return question_answer(argc, argv,
			       &(Question){ .print = memory_print_peak, .options = &options,
					    .site = options.site, .json = json,
					    .srcline = &srcline });
}
