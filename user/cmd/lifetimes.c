// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user lifetimes: how long do things live, and who frees them?
 */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/question.h"
#include "report/lives.h"

static const char *const dimensions[] = { "site", "stack", "cache", "module", "task", NULL };
static const char *const pair_dimensions[] = { "site", "stack", NULL };

/* FALSE, after saying so, if it is none. */
static gboolean parse_cross(const char *cross, LivesOptions *options)
{
	if (!cross)
		return TRUE;
	if (!strcmp(cross, "node"))
		options->cross = LIVES_CROSS_NODE;
	else if (!strcmp(cross, "cpu"))
		options->cross = LIVES_CROSS_CPU;
	else if (!strcmp(cross, "task"))
		options->cross = LIVES_CROSS_TASK;
	else
		message("--cross '%s' is none: expected cpu, task or node", cross);
	return options->cross != LIVES_ANY;
}

int cmd_lifetimes(int argc, char **argv)
{
	LivesOptions options = { .limit = QUESTION_LIMIT };
	g_autofree char *by = NULL, *site = NULL, *cross = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE, pairs = FALSE;
	Between between = { 0 };
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "By site (default), stack, cache, module or task", "WHAT" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site, "Only what this function called for", "FUNCTION" },
		{ "pairs", 0, 0, G_OPTION_ARG_NONE, &pairs,
		  "Who allocated and who freed, by site or stack", NULL },
		{ "cross", 0, 0, G_OPTION_ARG_STRING, &cross,
		  "Of the pairs only what was freed on another cpu, in another task, or on a CPU of another node", "WHAT" },
		OPTIONS_BETWEEN,
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Rows of a table (default 10)", "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_take_between(&argc, &argv, &between.from, &between.to) ||
	    !options_parse(entries, "[FILE]",
			   "How long do things live? Counts, percentiles and a histogram of what was freed. FILE is "
			   "a .kmt, which is loaded first, or a .db (default " CMD_DEFAULT_TRACE ").",
			   &argc, &argv) ||
	    !parse_cross(cross, &options))
		return EXIT_USAGE;
	pairs |= cross != NULL;
	options.by = by ? by : "site";
	options.site = site ? site : "";
	if (!question_check(options.limit, options.by,
			    pairs ? pair_dimensions : dimensions))
		return EXIT_USAGE;
	return question_answer(argc, argv,
			       &(Question){ .print = pairs ? lives_print_pairs : lives_print,
					    .options = &options, .site = options.site,
					    .json = json, .srcline = &srcline,
					    .between = &between });
}
