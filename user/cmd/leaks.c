// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user leaks: show suspected leaks, or growth between two times. */
#include "report/leaks/leaks.h"

#include "analysis/growth/growth_pattern.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"

typedef struct {
	LeaksOptions options;
	char *older, *by, *shape;
	FilterOptions filters;
	Srcline srcline;
	gboolean json;
	gboolean grows; /* growth between two times was requested */
} Leaks;

static void leaks_clear(Leaks *leaks)
{
	g_free(leaks->older);
	g_free(leaks->by);
	g_free(leaks->shape);
	filter_options_clear(&leaks->filters);
	srcline_clear(&leaks->srcline);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Leaks, leaks_clear)

/* "grow --between A B" is "--from A --to B": growth has two times, not an interval. */
static gboolean take_times(Leaks *leaks, gboolean is_grow)
{
	FilterOptions *filters = &leaks->filters;
	const Selection *selection = &filters->selection;

	leaks->grows = is_grow || filters->from || filters->to;
	if (!leaks->grows)
		return TRUE;
	if (leaks->older || leaks->shape) {
		message("--%s cannot be combined with --from and --to",
			leaks->older ? "older" : "shape");
		return FALSE;
	}
	leaks->options.from = selection->from;
	leaks->options.to = selection->to;
	leaks->options.from_ns = leaks->options.to_ns = LEAKS_NS_NONE;
	filters->selection.from = filters->selection.to = NULL;
	return TRUE;
}

static gboolean check(Leaks *leaks)
{
	static const char *const words[] = { "stack",   "site",   "module", "cache",
					     "process", "thread", "kind",   "node",
					     "order",   "size",   NULL };
	g_autofree char *shapes = growth_pattern_names();
	GError *error = NULL;
	guint64 ns;

	if (!report_command_check(leaks->options.limit, leaks->options.by, words))
		return FALSE;
	if (leaks->shape && growth_pattern_find(leaks->shape) == SHAPES) {
		message("invalid --shape '%s' (expected %s)", leaks->shape, shapes);
		return FALSE;
	}
	if (!leaks->older)
		return TRUE;
	if (!units_parse_time(leaks->older, &ns, &error)) {
		message_failed(error);
		return FALSE;
	}
	leaks->options.older_ns = (gint64)ns;
	return TRUE;
}

static gboolean parse(int *argc, char ***argv, Leaks *leaks, gboolean is_grow)
{
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &leaks->options.limit,
		  "Rows of each table (default 10)", "N" },
		{ "older", 0, 0, G_OPTION_ARG_STRING, &leaks->older,
		  "Show only allocations older than this at the end (default 30s, or half of a shorter trace)",
		  "TIME" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, &leaks->by,
		  "Group by stack, site (default), module, cache, process, thread, kind, node, order or size",
		  "WHAT" },
		SRCLINE_ENTRIES(leaks->srcline),
		{ "shape", 0, 0, G_OPTION_ARG_STRING, &leaks->shape,
		  "Show only groups with this growth pattern: linear, plateau, sawtooth, freed_at_end, late, steady or orphaned",
		  "SHAPE" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &leaks->json, "Print JSON: an object of arrays",
		  NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };

	if (!filter_options_parse(
		    &leaks->filters, groups, "[FILE]",
		    "Show suspected leaks: old allocations that are still live at the end, grouped by "
		    "call site, and a verdict on each suspect. With --from or --to, show growth "
		    "between the two times. " CMD_FILE_HELP,
		    argc, argv) ||
	    !take_times(leaks, is_grow))
		return FALSE;
	leaks->options.by = report_command_by(leaks->by, "site");
	leaks->options.site = leaks->filters.text[SELECT_SITE];
	filter_options_own(&leaks->filters, SELECT_BIT(SELECT_SITE));
	leaks->options.shape = leaks->shape;
	return check(leaks);
}

static int run(int argc, char **argv, gboolean is_grow)
{
	g_auto(Leaks) leaks = { .options = { .limit = REPORT_ROWS, .older_ns = LEAKS_NS_NONE } };

	if (!parse(&argc, &argv, &leaks, is_grow))
		return EXIT_USAGE;
	return report_command_run(argc, argv,
				  &(ReportCommand){
					  .print = leaks.grows ? grow_print : leaks_print,
					  .options = &leaks.options,
					  .json = leaks.json,
					  .srcline = &leaks.srcline,
					  .selection = &leaks.filters.selection,
				  });
}

int cmd_leaks(int argc, char **argv)
{
	return run(argc, argv, FALSE);
}

int cmd_grow(int argc, char **argv)
{
	return run(argc, argv, TRUE);
}
