// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user check: conditions over a trace's figures, and an exit code for each end.
 */
#include <stdio.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/options.h"
#include "cmd/common/source.h"
#include "report/check/check.h"

#define DEFAULT_OLDER "1s"

typedef struct {
	CheckOptions check;
	char *older;
	char **texts;       /* conditions */
	char *suppressions; /* path, or NULL */
	gboolean list, allow_incomplete;
} Arguments;

static void free_expr(gpointer expr)
{
	expr_free(expr);
}

static void arguments_clear(Arguments *arguments)
{
	g_free(arguments->older);
	g_strfreev(arguments->texts);
	g_free(arguments->suppressions);
	g_clear_pointer(&arguments->check.conditions, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean parse_conditions(Arguments *arguments)
{
	guint count;
	const ExprName *names = figures_names(&count);
	g_autoptr(GError) error = NULL;

	arguments->check.conditions = g_ptr_array_new_with_free_func(free_expr);
	arguments->check.texts = (const char *const *)arguments->texts;
	for (guint i = 0; arguments->texts && arguments->texts[i]; i++) {
		Expr *expr = expr_parse(arguments->texts[i], names, count, &error);

		if (!expr) {
			message("--fail-if '%s': %s", arguments->texts[i], error->message);
			return FALSE;
		}
		g_ptr_array_add(arguments->check.conditions, expr);
	}
	if (arguments->check.conditions->len || arguments->list)
		return TRUE;
	message("check needs a condition, as in: check --fail-if 'leaked > 64K' (--list shows the names)");
	return FALSE;
}

static gboolean parse(int *argc, char ***argv, Arguments *arguments)
{
	g_autoptr(GError) error = NULL;
	const GOptionEntry entries[] = {
		{ "fail-if", 0, 0, G_OPTION_ARG_STRING_ARRAY, &arguments->texts,
		  "Fail if CONDITION is true (repeatable)", "CONDITION" },
		{ "older", 0, 0, G_OPTION_ARG_STRING, &arguments->older,
		  "Count live allocations as leaked if they are older than this at the end (default " DEFAULT_OLDER
		  ")",
		  "TIME" },
		{ "suppressions", 0, 0, G_OPTION_ARG_FILENAME, &arguments->suppressions,
		  "Ignore leaks that match a pattern in FILE", "FILE" },
		{ "allow-incomplete", 0, 0, G_OPTION_ARG_NONE, &arguments->allow_incomplete,
		  "Judge an incomplete trace like a complete one", NULL },
		{ "list", 0, 0, G_OPTION_ARG_NONE, &arguments->list,
		  "List the figures that conditions can use", NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &arguments->check.json, "Print JSON: an object",
		  NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "Test conditions over the figures of a trace, as 'leaked > 64K' or "
			   "'live_slab site(\"alloc_inode\") > 1M and not lost > 0', and fail if "
			   "one is true. " CMD_FILE_HELP,
			   argc, argv) ||
	    !parse_conditions(arguments))
		return FALSE;
	if (units_parse_time(arguments->older ? arguments->older : DEFAULT_OLDER,
			     &arguments->check.older_ns, &error))
		return TRUE;
	message("%s", error->message);
	return FALSE;
}

static gboolean run(const Arguments *arguments, CheckOptions *options, CheckResult *result,
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
	db = source_open(options->name, error);
	return db && check_print(db, options, stdout, result, error);
}

int cmd_check(int argc, char **argv)
{
	g_auto(Arguments) arguments = { .older = NULL };
	CheckResult result = { 0 };
	GError *error = NULL;

	if (!parse(&argc, &argv, &arguments))
		return EXIT_USAGE;
	if (!arguments.list || argc > 1)
		arguments.check.name = default_file_or_argument(argc, argv, DEFAULT_ANY);
	if (!arguments.check.name && (!arguments.list || argc > 1))
		return EXIT_USAGE;
	if (arguments.list)
		check_print_names(arguments.check.json, stdout);
	else if (!run(&arguments, &arguments.check, &result, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the result"))
		return EXIT_FAILED;
	if (result.incomplete && !arguments.allow_incomplete)
		return EXIT_INCOMPLETE;
	return result.failed ? EXIT_CONDITION : EXIT_FINE;
}
