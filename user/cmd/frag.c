// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user frag: show memory wasted by rounding, sparse slabs and pages. */
#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/frag/frag.h"

#define ALL_LIMIT 3 /* rows of each part if all are printed */

static gboolean parse(int *argc, char ***argv, FragOptions *options, FilterOptions *filters,
		      gboolean *json)
{
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows of each table (default 10, or 3 for all parts)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };
	char **words;

	options->limit = G_MININT;
	if (!filter_options_parse(
		    filters, groups, "[FILE] [rounding|slab|page]",
		    "Show wasted memory: internal fragmentation (rounding), sparse slabs, "
		    "and pages that block larger orders; without an argument, a summary of "
		    "the three. " CMD_FILE_HELP,
		    argc, argv))
		return FALSE;
	words = *argv;
	if (*argc > 1 && frag_parse_part(words[*argc - 1], &options->part)) {
		(*argc)--;
	} else if (*argc == 3 && frag_parse_part(words[1], &options->part)) {
		words[1] = words[2];
		(*argc)--;
	} else if (*argc > 2) {
		message("invalid argument '%s' (expected rounding, slab or page)",
			words[*argc - 1]);
		return FALSE;
	}
	if (options->limit == G_MININT)
		options->limit = options->part == FRAG_ALL ? ALL_LIMIT : REPORT_ROWS;
	if (options->part != FRAG_ROUNDING &&
	    !filter_options_refuse(
		    filters, ~0U,
		    "is only for frag rounding: slabs and pageblocks are shared by all allocations"))
		return FALSE;
	return options_check_rows(options->limit);
}

int cmd_frag(int argc, char **argv)
{
	FragOptions options = { .part = FRAG_ALL };
	g_auto(FilterOptions) filters = { 0 };
	gboolean json = FALSE;

	if (!parse(&argc, &argv, &options, &filters, &json))
		return EXIT_USAGE;
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = frag_print,
						    .options = &options,
						    .json = json,
						    .selection = &filters.selection });
}
