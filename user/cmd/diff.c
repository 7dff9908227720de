// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user diff: compare two traces. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/common/condition_options.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/diff/diff.h"
#include "report/groups/merged_caches.h"
#include "report/select/select.h"

#define DEFAULT_LIMIT 10

typedef struct {
	DiffOptions diff;
	ConditionOptions conditions;
	FilterOptions filters;
} Arguments;

static void arguments_clear(Arguments *arguments)
{
	filter_options_clear(&arguments->filters);
	condition_options_clear(&arguments->conditions);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean check(Arguments *arguments, int argc)
{
	guint count;
	const ExprName *names = diff_figures(&count);

	if (!condition_options_read(&arguments->conditions, names, count))
		return FALSE;
	if (argc == 3 || (arguments->conditions.list && argc == 1))
		return TRUE;
	message("diff needs two traces, as in: diff before.kmt after.kmt");
	return FALSE;
}

static gboolean parse(int *argc, char ***argv, Arguments *arguments)
{
	DiffOptions *options = &arguments->diff;
	g_autofree char *by = NULL, *per = NULL;
	g_autofree GOptionEntry *conditions = condition_options_entries(&arguments->conditions);
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by, REPORT_BY " (default site)", "WHAT" },
		{ "per", 0, 0, G_OPTION_ARG_STRING, &per,
		  "Print totals, or figures per second or per event of each trace (default total)",
		  "UNIT" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows of each kind: so many that grew, and so many others (default 10)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print JSON: an object", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { conditions, entries, NULL };

	if (!filter_options_parse(
		    &arguments->filters, groups, "A B",
		    "Compare two traces or databases by name: allocations, bytes, live and "
		    "wasted memory, what grew first; fail if a condition as "
		    "'grown > 64K' is true.",
		    argc, argv))
		return FALSE;
	if (!report_command_check(options->limit, report_command_by(by, "site"), NULL) ||
	    !diff_parse_by(report_command_by(by, "site"), &options->by))
		return FALSE;
	if (per && !diff_parse_per(per, &options->per))
		message("invalid --per '%s' (expected total, second or event)", per);
	else if (options->per == DIFF_PER_EVENT &&
		 selection_has_interval(&arguments->filters.selection))
		message("--per event is of all events of a trace: with an interval, use --per second");
	else
		return check(arguments, *argc);
	return FALSE;
}

/* A name may be in only one of the traces. */
static gboolean restrict_both(StoreDb *const dbs[2], DiffOptions *options,
			      const FilterOptions *filters, GError **error)
{
	Comparison *comparison = &options->comparison;

	for (guint i = 0; i < 2; i++) {
		options->selections[i] = filters->selection;
		options->selections[i].comparison = comparison;
		if (!merged_caches_add(comparison->caches, dbs[i], error))
			return FALSE;
	}
	if (!select_check(dbs[1], &options->selections[1], NULL) &&
	    !select_check(dbs[0], &options->selections[0], error))
		return FALSE;
	for (guint i = 0; i < 2; i++) {
		comparison->is_second = i == 1;
		if (!select_restrict(dbs[i], &options->selections[i], error))
			return FALSE;
	}
	return TRUE;
}

static gboolean run(Arguments *arguments, ConditionResult *result, GError **error)
{
	DiffOptions *options = &arguments->diff;
	g_autoptr(StoreDb) before = input_open(options->names[0], error);
	g_autoptr(StoreDb) after = before ? input_open(options->names[1], error) : NULL;
	g_autoptr(MergedCaches) caches = merged_caches_new();
	StoreDb *const dbs[] = { before, after };

	options->comparison.caches = caches;
	options->conditions = &arguments->conditions.conditions;
	return after && restrict_both(dbs, options, &arguments->filters, error) &&
	       diff_print(dbs, options, stdout, result, error);
}

int cmd_diff(int argc, char **argv)
{
	g_auto(Arguments) arguments = { .diff.limit = DEFAULT_LIMIT,
					.filters.without = SELECT_BIT(SELECT_STACK) };
	ConditionResult result = { 0 };
	GError *error = NULL;
	guint count;
	const ExprName *names = diff_figures(&count);

	if (!parse(&argc, &argv, &arguments))
		return EXIT_USAGE;
	for (guint i = 0; i < 2 && argc == 3; i++)
		arguments.diff.names[i] = argv[1 + i];
	if (arguments.conditions.list)
		conditions_print_names(names, count, arguments.diff.json, stdout);
	else if (!run(&arguments, &result, &error))
		return message_failed(error);
	return condition_options_exit(&arguments.conditions, &result, "the comparison");
}
