// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user lifetimes: how long do allocations live, and what frees them? */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/lifetimes/lifetimes.h"

static const char *const dimensions[] = {
	"site", "stack", "cache", "module", "task", "thread", NULL
};
static const char *const pair_dimensions[] = { "site", "stack", NULL };

/* FALSE, with a message, if not valid. */
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
	g_autofree char *by = NULL, *site = NULL, *cross = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE, pairs = FALSE;
	Interval interval = { 0 };
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "Group by site (default), stack, cache, module, task or thread", "WHAT" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site,
		  "Show only allocations made by FUNCTION", "FUNCTION" },
		{ "pairs", 0, 0, G_OPTION_ARG_NONE, &pairs,
		  "Show pairs of allocating and freeing sites or stacks", NULL },
		{ "cross", 0, 0, G_OPTION_ARG_STRING, &cross,
		  "With --pairs, show only frees on another cpu, in another thread, or on another node",
		  "WHAT" },
		OPTIONS_BETWEEN,
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Rows of a table (default 10)",
		  "N" },
		SRCLINE_ENTRIES(srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_take_interval(&argc, &argv, &interval.from, &interval.to) ||
	    !options_parse(entries, "[FILE]",
			   "Show how long allocations live: counts, percentiles and a histogram "
			   "of those that were freed. " CMD_FILE_HELP,
			   &argc, &argv) ||
	    !parse_cross(cross, &options))
		return EXIT_USAGE;
	pairs |= cross != NULL;
	options.by = by ? by : "site";
	options.site = site ? site : "";
	if (!report_command_check(options.limit, options.by, pairs ? pair_dimensions : dimensions))
		return EXIT_USAGE;
	return report_command_run(
		argc, argv,
		&(ReportCommand){ .print = pairs ? alloc_free_pairs_print : lifetimes_print,
				  .options = &options,
				  .site = options.site,
				  .json = json,
				  .srcline = &srcline,
				  .interval = &interval });
}
