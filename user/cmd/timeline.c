// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user timeline: how did live bytes change over time?
 */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/question.h"
#include "report/memory.h"

#define STEPS		60
#define STEPS_MAX	1000

static const char *const dimensions[] = { "kind", "site", "stack", "cache", "module", "task", NULL };

int cmd_timeline(int argc, char **argv)
{
	MemoryOptions options = { .limit = QUESTION_LIMIT, .at_ns = -1, .steps = STEPS };
	g_autofree char *by = NULL, *site = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "By kind (default), site, stack, cache, module or task", "WHAT" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site, "Only what this function called for", "FUNCTION" },
		{ "steps", 0, 0, G_OPTION_ARG_INT, &options.steps, "Steps of time (default 60, at most 1000)", "N" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Lines at most (default 10)", "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "How did live bytes change over time? JSON has a row for each step. "
			   "FILE is a .kmt, which is loaded first, or a .db (default " CMD_DEFAULT_TRACE ").",
			   &argc, &argv))
		return EXIT_USAGE;
	options.by = by ? by : "kind";
	options.site = site ? site : "";
	if (options.steps < 1 || options.steps > STEPS_MAX) {
		message("%d steps are too many or none: expected 1 to %d", options.steps, STEPS_MAX);
		return EXIT_USAGE;
	}
	if (!question_check(options.limit, options.by, dimensions))
		return EXIT_USAGE;
	return question_answer(argc, argv,
			       &(Question){ .print = memory_print_timeline, .options = &options,
					    .site = options.site, .json = json,
					    .srcline = &srcline });
}
