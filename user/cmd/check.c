// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user check: test conditions over a trace's figures. */
#include <stdio.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/condition_options.h"
#include "cmd/common/default_file.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "report/check/check.h"
#include "report/print/interval.h"
#include "report/select/select.h"

typedef struct {
	CheckOptions check;
	ConditionOptions conditions;
	FilterOptions filters;
	char *older;
	char *suppressions; /* path, or NULL */
} Arguments;

static void arguments_clear(Arguments *arguments)
{
	g_free(arguments->older);
	filter_options_clear(&arguments->filters);
	g_free(arguments->suppressions);
	condition_options_clear(&arguments->conditions);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean parse_conditions(Arguments *arguments)
{
	guint count;
	const ExprName *names = figures_names(&count);
	ConditionOptions *conditions = &arguments->conditions;

	if (!condition_options_read(conditions, names, count))
		return FALSE;
	if (conditions->conditions.exprs->len || conditions->list)
		return TRUE;
	message("check needs a condition, as in: check --fail-if 'leaked > 64K' (--list shows the names)");
	return FALSE;
}

static gboolean parse(int *argc, char ***argv, Arguments *arguments)
{
	g_autofree GOptionEntry *conditions = condition_options_entries(&arguments->conditions);
	g_autoptr(GError) error = NULL;
	const GOptionEntry entries[] = {
		{ "older", 0, 0, G_OPTION_ARG_STRING, &arguments->older,
		  "Count live allocations as leaked if they are older than this at the end (default 30s, or half of a shorter trace)",
		  "TIME" },
		{ "suppressions", 0, 0, G_OPTION_ARG_FILENAME, &arguments->suppressions,
		  "Ignore leaks that match a pattern in FILE", "FILE" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &arguments->check.json, "Print JSON: an object",
		  NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { conditions, entries, NULL };

	if (!filter_options_parse(
		    &arguments->filters, groups, "[FILE]",
		    "Test conditions over the figures of a trace, such as 'leaked > 64K' or "
		    "'live_slab site(\"alloc_inode\") > 1M and not lost > 0', and fail if "
		    "one is true. " CMD_FILE_HELP,
		    argc, argv) ||
	    !parse_conditions(arguments))
		return FALSE;
	if (!arguments->older ||
	    units_parse_time(arguments->older, &arguments->check.older_ns, &error))
		return TRUE;
	message("%s", error->message);
	return FALSE;
}

static gboolean run(Arguments *arguments, CheckOptions *options, ConditionResult *result,
		    GError **error)
{
	g_autoptr(StoreDb) db = NULL;
	g_autoptr(Suppress) suppress = NULL;

	if (arguments->suppressions) {
		suppress = suppress_read(arguments->suppressions, error);
		if (!suppress)
			return FALSE;
	}
	options->suppress = suppress;
	options->conditions = &arguments->conditions.conditions;
	options->selection = &arguments->filters.selection;
	db = input_open(options->name, error);
	return db && (arguments->older || interval_find_old_age(db, &options->older_ns, error)) &&
	       select_restrict(db, &arguments->filters.selection, error) &&
	       check_print(db, options, stdout, result, error);
}

int cmd_check(int argc, char **argv)
{
	g_auto(Arguments) arguments = { .older = NULL };
	ConditionResult result = { 0 };
	GError *error = NULL;
	guint count;
	const ExprName *names = figures_names(&count);

	if (!parse(&argc, &argv, &arguments))
		return EXIT_USAGE;
	if (!arguments.conditions.list || argc > 1)
		arguments.check.name = default_file_or_argument(argc, argv, DEFAULT_ANY);
	if (!arguments.check.name && (!arguments.conditions.list || argc > 1))
		return EXIT_USAGE;
	if (arguments.conditions.list)
		conditions_print_names(names, count, arguments.check.json, stdout);
	else if (!run(&arguments, &arguments.check, &result, &error))
		return message_failed(error);
	return condition_options_exit(&arguments.conditions, &result, "the result");
}
