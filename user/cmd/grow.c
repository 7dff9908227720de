// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user grow: who holds more at one time than at another, and does it go on?
 */
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/groups/live_groups.h"
#include "report/leaks/leaks.h"

static gboolean parse(int *argc, char ***argv, LeaksOptions *options, char **by, Srcline *srcline,
		      gboolean *json)
{
	Interval interval = { 0 };
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows of each table (default 10)", "N" },
		{ "from", 0, 0, G_OPTION_ARG_STRING, &options->from,
		  "Start of the interval, a time or mark (default 0)", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &options->to,
		  "End of the interval, a time or mark (default: end of the trace)", "TIME" },
		{ "between", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_CALLBACK,
		  (gpointer)options_refuse_interval, "Same as --from MARK --to MARK", "MARK MARK" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, by,
		  "Group by stack, site (default), module, cache, task or thread", "WHAT" },
		SRCLINE_ENTRIES(*srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_take_interval(argc, argv, &interval.from, &interval.to) ||
	    !options_parse(entries, "[FILE]",
			   "Show what holds more memory at one time than at an earlier one, and "
			   "its growth pattern. " CMD_FILE_HELP,
			   argc, argv))
		return FALSE;
	if (interval.from && (options->from || options->to)) {
		message("--between cannot be combined with --from and --to");
		return FALSE;
	}
	if (interval.from) {
		options->from = interval.from;
		options->to = interval.to;
	}
	if (!options_check_rows(options->limit))
		return FALSE;
	if (*by && !live_groups_is_by(*by))
		message("invalid --by '%s' (expected stack, site, module, cache, task or thread)",
			*by);
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
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = grow_print,
						    .options = &options,
						    .json = json,
						    .srcline = &srcline });
}
