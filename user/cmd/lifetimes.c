// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user lifetimes: show how long allocations live, and what frees them. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/lifetimes/lifetimes.h"

static const char *const pair_words[] = { "site", "stack", NULL };

/* Returns FALSE, with a message, if @cross is invalid. */
static gboolean parse_cross(const char *cross, LifetimesOptions *options)
{
	if (!cross)
		return TRUE;
	if (!strcmp(cross, "node"))
		options->cross = LIFETIMES_CROSS_NODE;
	else if (!strcmp(cross, "cpu"))
		options->cross = LIFETIMES_CROSS_CPU;
	else if (!strcmp(cross, "thread") || !strcmp(cross, "task"))
		options->cross = LIFETIMES_CROSS_THREAD;
	else
		message("invalid --cross '%s' (expected cpu, thread or node)", cross);
	return options->cross != LIFETIMES_ANY;
}

int cmd_lifetimes(int argc, char **argv)
{
	LifetimesOptions options = { .limit = REPORT_ROWS };
	g_autofree char *by = NULL, *cross = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE, pairs = FALSE;
	g_auto(FilterOptions) filters = { 0 };
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  REPORT_BY " (default site); with --pairs, only site or stack", "WHAT" },
		{ "pairs", 0, 0, G_OPTION_ARG_NONE, &pairs,
		  "Show pairs of allocating and freeing sites or stacks", NULL },
		{ "cross", 0, 0, G_OPTION_ARG_STRING, &cross,
		  "With --pairs, show only frees on another cpu, in another thread, or on another node",
		  "WHAT" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Rows of a table (default 10)",
		  "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };

	if (!filter_options_parse(
		    &filters, groups, "[FILE]",
		    "Show how long allocations live: counts, percentiles and a histogram "
		    "of those that were freed. " CMD_FILE_HELP,
		    &argc, &argv) ||
	    !parse_cross(cross, &options))
		return EXIT_USAGE;
	pairs |= cross != NULL;
	options.by = report_command_by(by, "site");
	options.site = filter_options_site(&filters);
	if (!report_command_check(options.limit, options.by, pairs ? pair_words : NULL))
		return EXIT_USAGE;
	return report_command_run(
		argc, argv,
		&(ReportCommand){ .print = pairs ? alloc_free_pairs_print : lifetimes_print,
				  .options = &options,
				  .json = json,
				  .srcline = &srcline,
				  .selection = &filters.selection });
}
