// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user leaks: who holds what is live and old, and does it grow?
 */
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/groups/live_groups.h"
#include "report/leaks/leaks.h"

static gboolean check(const LeaksOptions *options)
{
	g_autofree char *shapes = growth_pattern_names();

	if (!options_check_rows(options->limit))
		return FALSE;
	if (options->shape && growth_pattern_find(options->shape) == SHAPES)
		message("invalid --shape '%s' (expected %s)", options->shape, shapes);
	else if (!live_groups_is_by(options->by))
		message("invalid --by '%s' (expected stack, site, module, cache, task or thread)",
			options->by);
	else
		return TRUE;
	return FALSE;
}

int cmd_leaks(int argc, char **argv)
{
	Interval interval = { 0 };
	LeaksOptions options = { .limit = QUESTION_LIMIT, .older_ns = LEAKS_NS_NONE };
	g_autofree char *older = NULL, *by = NULL, *site = NULL, *shape = NULL;
	g_auto(Srcline) srcline = { FALSE };
	gboolean json = FALSE;
	GError *error = NULL;
	guint64 ns;
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit,
		  "Rows of each table (default 10)", "N" },
		{ "older", 0, 0, G_OPTION_ARG_STRING, &older,
		  "Show only allocations older than this at the end (default 30s, or half of a shorter trace)",
		  "TIME" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "Group by stack, site (default), module, cache, task or thread", "WHAT" },
		SRCLINE_ENTRIES(srcline),
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site,
		  "Show only allocations made by FUNCTION", "FUNCTION" },
		{ "shape", 0, 0, G_OPTION_ARG_STRING, &shape,
		  "Show only groups with this growth pattern: linear, plateau, sawtooth, freed_at_end, late, steady or orphaned",
		  "SHAPE" },
		OPTIONS_BETWEEN,
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_take_interval(&argc, &argv, &interval.from, &interval.to) ||
	    !options_parse(entries, "[FILE]",
			   "Show suspected leaks: old allocations that are still live at the end, "
			   "grouped by call site, with their growth pattern. " CMD_FILE_HELP,
			   &argc, &argv))
		return EXIT_USAGE;
	options.by = by ? by : "site";
	options.site = site;
	options.shape = shape;
	if (!check(&options))
		return EXIT_USAGE;
	if (older && !units_parse_time(older, &ns, &error)) {
		message_failed(error);
		return EXIT_USAGE;
	}
	if (older)
		options.older_ns = (gint64)ns;
	return report_command_run(argc, argv,
				  &(ReportCommand){ .print = leaks_print,
						    .options = &options,
						    .site = site,
						    .json = json,
						    .srcline = &srcline,
						    .interval = &interval });
}
