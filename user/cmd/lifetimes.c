// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user lifetimes: how long do things live, and who frees them?
 */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/question.h"
#include "report/lives.h"

typedef struct {
	LivesOptions lives;
	gboolean pairs;
} Options;

static const char *const dimensions[] = { "site", "stack", "cache", "module", "task", NULL };
static const char *const pair_dimensions[] = { "site", "stack", NULL };

static gboolean print(const Answer *answer, gconstpointer data, GError **error)
{
	const Options *options = data;

	return options->pairs ? lives_print_pairs(answer, &options->lives, error)
			      : lives_print(answer, &options->lives, error);
}

/* FALSE, after saying so, if it is none. */
static gboolean parse_cross(const char *cross, Options *options)
{
	if (!cross)
		return TRUE;
	if (!strcmp(cross, "node"))
		options->lives.cross = LIVES_CROSS_NODE;
	else if (!strcmp(cross, "cpu"))
		options->lives.cross = LIVES_CROSS_CPU;
	else if (!strcmp(cross, "task"))
		options->lives.cross = LIVES_CROSS_TASK;
	else
		message("--cross '%s' is none: expected cpu, task or node", cross);
	options->pairs = TRUE;
	return options->lives.cross != LIVES_ANY;
}

int cmd_lifetimes(int argc, char **argv)
{
	Options options = { .lives = { .limit = QUESTION_LIMIT } };
	g_autofree char *by = NULL, *site = NULL, *cross = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;
	Between between = { 0 };
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "By site (default), stack, cache, module or task", "WHAT" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site, "Only what this function called for", "FUNCTION" },
		{ "pairs", 0, 0, G_OPTION_ARG_NONE, &options.pairs,
		  "Who allocated and who freed, by site or stack", NULL },
		{ "cross", 0, 0, G_OPTION_ARG_STRING, &cross,
		  "Of the pairs only what was freed on another cpu, in another task, or on a CPU of another node", "WHAT" },
		OPTIONS_BETWEEN,
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.lives.limit, "Rows of a table (default 10)", "N" },
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
	options.lives.by = by ? by : "site";
	options.lives.site = site ? site : "";
	if (!question_check(options.lives.limit, options.lives.by,
			    options.pairs ? pair_dimensions : dimensions))
		return EXIT_USAGE;
	return question_answer_between(argc, argv, options.lives.site, json, print, &options,
				       &srcline, &between);
}
