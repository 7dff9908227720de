// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user report: summarize a trace. */
#include <string.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/calltree_options.h"
#include "cmd/common/default_file.h"
#include "cmd/common/dot_output.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/html_output.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "cmd/common/srcline.h"
#include "report/print/interval.h"
#include "report/select/select.h"
#include "report/summary/overview.h"
#include "report/summary/report.h"

#define DEFAULT_LIMIT 5
#define FULL_LIMIT    10
#define LIMIT_UNSET   G_MININT
#define OLDER_UNSET   G_MAXUINT64

/* The options that request a call tree. */
typedef struct {
	CalltreeOptions args;
	char *by, *chosen;
	gboolean dot, wanted;
	CallsOptions options;
} Tree;

static void tree_clear(Tree *tree)
{
	calltree_options_clear(&tree->args);
	g_clear_pointer(&tree->by, g_free);
	g_clear_pointer(&tree->chosen, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tree, tree_clear)

/* Rejects options of trees without a tree. */
static gboolean check_no_tree(const Tree *tree)
{
	const char *given = calltree_options_given(&tree->args);

	if (given)
		message("--%s needs --by stack or --by function", given);
	return !given;
}

static gboolean check_tree(const ReportOptions *options, const char *older, FilterOptions *filters,
			   Tree *tree)
{
	gboolean functions = !g_strcmp0(tree->by, "function");

	if (tree->by && !functions && strcmp(tree->by, "stack")) {
		message("invalid --by '%s' (expected stack or function; stat and live take other words)",
			tree->by);
		return FALSE;
	}
	if (tree->dot && (tree->by || options->json)) {
		message("--dot cannot be combined with --%s", tree->by ? "by" : "json");
		return FALSE;
	}
	if (older || options->full) {
		message("--%s is for tables, not for a tree", older ? "older" : "full");
		return FALSE;
	}
	if (!calltree_options_read(&tree->args, filters, options->json, &tree->options))
		return FALSE;
	tree->chosen = calltree_options_text(&tree->args, filters);
	tree->options.functions = functions;
	tree->options.lines = options->limit;
	return TRUE;
}

static gboolean parse(int *argc, char ***argv, ReportOptions *options, Srcline *srcline, Tree *tree,
		      FilterOptions *filters, char **page)
{
	g_autofree GOptionEntry *choice = calltree_options_choice(&tree->args);
	g_autofree GOptionEntry *view = calltree_options_view(&tree->args);
	g_autofree char *older = NULL;
	g_autoptr(GError) error = NULL;
	gboolean is_full;
	const GOptionEntry entries[] = {
		{ "html", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, page,
		  "Write one HTML page with everything, for offline use", "FILE" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows of each table (default 5, with --full 10), lines of a tree (default all)",
		  "N" },
		{ "full", 0, 0, G_OPTION_ARG_NONE, &options->full, "Print all tables", NULL },
		{ "older", 0, 0, G_OPTION_ARG_STRING, &older,
		  "Show only allocations older than this at the end, with stacks (default 30s, or half of a shorter trace; with --site 0); implies --full",
		  "TIME" },
		SRCLINE_ENTRIES(*srcline),
		{ "by", 0, 0, G_OPTION_ARG_STRING, &tree->by,
		  "Group by stack (print call trees) or function (print a table) instead", "WHAT" },
		{ "dot", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &tree->dot,
		  "Print a call graph for graphviz instead", NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, view, choice, NULL };

	if (!filter_options_parse(
		    filters, groups, "[FILE]",
		    "Say whether the trace is complete, then summarize live, allocated and "
		    "wasted memory. " CMD_FILE_HELP,
		    argc, argv))
		return FALSE;
	tree->wanted = tree->by || tree->dot;
	if (*page && (tree->wanted || calltree_options_given(&tree->args) || older ||
		      options->json || options->limit != LIMIT_UNSET)) {
		message("--html writes everything into one page: it takes no options but filters and those of source lines");
		return FALSE;
	}
	is_full = options->full || older || options->json;
	if (options->limit == LIMIT_UNSET)
		options->limit = tree->dot      ? DOT_FUNCTIONS
				 : tree->wanted ? 0
				 : is_full      ? FULL_LIMIT
						: DEFAULT_LIMIT;
	else if (!options_check_rows(options->limit))
		return FALSE;
	if (!(tree->wanted ? check_tree(options, older, filters, tree) : check_no_tree(tree)))
		return FALSE;
	options->full = is_full;
	srcline->wanted |= tree->options.view.by_subsystem;
	options->selection = &filters->selection;
	options->site = filters->text[SELECT_SITE] ?: "";
	options->older_ns = *options->site ? 0 : OLDER_UNSET;
	if (older && !units_parse_time(older, &options->older_ns, &error)) {
		message("%s", error->message);
		return FALSE;
	}
	return TRUE;
}

int cmd_report(int argc, char **argv)
{
	ReportOptions options = { .limit = LIMIT_UNSET };
	g_auto(FilterOptions) filters = { 0 };
	g_auto(Tree) tree = { 0 };
	g_auto(Srcline) srcline = { FALSE };
	g_autoptr(StoreDb) db = NULL;
	g_autofree char *page = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;
	const char *path;

	if (!parse(&argc, &argv, &options, &srcline, &tree, &filters, &page))
		return EXIT_USAGE;
	if (page)
		return report_command_run(argc, argv,
					  &(ReportCommand){ .print = html_output_print,
							    .options = page,
							    .srcline = &srcline,
							    .selection = options.selection });
	if (tree.dot)
		return dot_output_print(argc, argv,
					&(DotOutput){ .options = &tree.options,
						      .chosen = tree.chosen,
						      .srcline = &srcline,
						      .selection = options.selection });
	if (tree.wanted)
		return report_command_run(argc, argv,
					  &(ReportCommand){ .print = calls_print,
							    .options = &tree.options,
							    .json = options.json,
							    .srcline = &srcline,
							    .selection = options.selection });
	path = default_file_or_argument(argc, argv, DEFAULT_ANY);
	if (!path)
		return EXIT_USAGE;
	options.name = path;
	db = input_open(path, &error);
	if (!db ||
	    (options.older_ns == OLDER_UNSET &&
	     !interval_find_old_age(db, &options.older_ns, &error)) ||
	    !srcline_open(&srcline, db, &error) ||
	    !select_restrict(db, options.selection, &error) ||
	    !(options.full ? report_print : overview_print)(db, &options, stdout, &incomplete,
							    &error))
		return message_failed(error);
	if (!message_wrote_stdout("the report"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
