// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user grow: who holds more at one time than at another, and does it go on?
 */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/question.h"
#include "report/holders.h"
#include "report/leaks.h"

static gboolean parse(int *argc, char ***argv, LeaksOptions *options, char **by,
		      Srcline *srcline, gboolean *json)
{
	Between between = { 0 };
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit, "Rows of each table (default 10)", "N" },
		{ "from", 0, 0, G_OPTION_ARG_STRING, &options->from,
		  "The first time, from the start of the trace on, or mark (default 0)", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &options->to, "The second time, or mark (default: the end of the trace)", "TIME" },
		{ "between", 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)options_refuse_between,
		  "The same as --from and --to", "MARK MARK" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, by,
		  "Who: stack, site (the default), module, cache or task", "WHO" },
		SRCLINE_ENTRIES(*srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_take_between(argc, argv, &between.from, &between.to) ||
	    !options_parse(entries, "[FILE]",
			   "Says who holds more at one time of the trace than at an earlier one, and whether that "
			   "goes on. FILE is a .kmt, which is loaded first, or a .db (default " CMD_DEFAULT_TRACE ").",
			   argc, argv))
		return FALSE;
	if (between.from && (options->from || options->to)) {
		message("--between is --from and --to: one or the other");
		return FALSE;
	}
	if (between.from) {
		options->from = between.from;
		options->to = between.to;
	}
	if (!options_check_rows(options->limit))
		return FALSE;
	if (*by && !holders_is_by(*by))
		message("--by '%s' is none: expected stack, site, module, cache or task", *by);
	else
		return TRUE;
	return FALSE;
}

int cmd_grow(int argc, char **argv)
{
	LeaksOptions options = { .limit = QUESTION_LIMIT,
				 .from_ns = LEAKS_NS_NONE,
				 .to_ns = LEAKS_NS_NONE };
	g_autofree char *by = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;

	if (!parse(&argc, &argv, &options, &by, &srcline, &json))
		return EXIT_USAGE;
	options.by = by ? by : "site";
	return question_answer(argc, argv, &(Question){ .print = grow_print, .options = &options,
							.json = json, .srcline = &srcline });
}
