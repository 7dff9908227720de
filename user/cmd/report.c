// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user report: is the trace complete, and who holds, takes and wastes memory? */
#include <string.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/calltree_options.h"
#include "cmd/common/default_file.h"
#include "cmd/common/dot_output.h"
#include "cmd/common/html_output.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "cmd/common/source.h"
#include "cmd/common/srcline.h"
#include "report/groups/site.h"
#include "report/summary/overview.h"
#include "report/summary/report.h"

#define DEFAULT_LIMIT 5
#define FULL_LIMIT    10
#define DEFAULT_OLDER "1s"
#define LIMIT_UNSET   G_MININT

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

static gboolean check_tree(const ReportOptions *options, const char *older, const char *site,
			   Tree *tree)
{
	gboolean functions = !g_strcmp0(tree->by, "function");

	if (tree->by && !functions && strcmp(tree->by, "stack")) {
		message("invalid --by '%s' (expected stack or function)", tree->by);
		return FALSE;
	}
	if (tree->dot && (tree->by || options->json)) {
		message("--dot cannot be combined with --%s", tree->by ? "by" : "json");
		return FALSE;
	}
	if (older || site) {
		message("--%s is for tables, not for a tree%s", older ? "older" : "site",
			older ? "" : ": --callee and --focus choose stacks");
		return FALSE;
	}
	if (!calltree_options_read(&tree->args, options->interval, options->json, &tree->options))
		return FALSE;
	tree->chosen = calltree_options_text(&tree->args);
	tree->options.functions = functions;
	tree->options.lines = options->limit;
	return TRUE;
}

static gboolean parse(int *argc, char ***argv, ReportOptions *options, Srcline *srcline, Tree *tree,
		      char **page)
{
	g_autofree GOptionEntry *choice = calltree_options_choice(&tree->args);
	g_autofree GOptionEntry *view = calltree_options_view(&tree->args);
	g_autofree char *older = NULL, *site = NULL;
	g_autoptr(GError) error = NULL;
	const GOptionEntry entries[] = {
		{ "html", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, page,
		  "Write one HTML page with everything, for offline use", "FILE" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows of each table (default 5, with --full 10), lines of a tree (default all)",
		  "N" },
		{ "full", 0, 0, G_OPTION_ARG_NONE, &options->full, "Print all tables", NULL },
		{ "older", 0, 0, G_OPTION_ARG_STRING, &older,
		  "Show only allocations older than this at the end, with stacks (default " DEFAULT_OLDER
		  "); implies --full",
		  "TIME" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site,
		  "Show only allocations made by FUNCTION", "FUNCTION" },
		SRCLINE_ENTRIES(*srcline),
		{ "by", 0, 0, G_OPTION_ARG_STRING, &tree->by,
		  "Group by stack (print call trees) or function (print a table) instead", "WHAT" },
		{ "dot", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &tree->dot,
		  "Print a call graph for graphviz instead", NULL },
		OPTIONS_BETWEEN,
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, view, choice, NULL };

	if (!options_take_interval(argc, argv, &options->interval->from, &options->interval->to) ||
	    !options_parse_groups(
		    groups, "[FILE]",
		    "Say whether the trace is complete, then summarize live, allocated and "
		    "wasted memory. " CMD_FILE_HELP,
		    argc, argv))
		return FALSE;
	tree->wanted = tree->by || tree->dot || calltree_options_given(&tree->args);
	if (*page && (tree->wanted || older || site || options->json || options->interval->from ||
		      options->limit != LIMIT_UNSET)) {
		message("--html writes everything into one page: it takes no options but those of source lines");
		return FALSE;
	}
	options->full |= older || options->json;
	if (options->limit == LIMIT_UNSET)
		options->limit = tree->dot       ? DOT_FUNCTIONS
				 : tree->wanted  ? 0
				 : options->full ? FULL_LIMIT
						 : DEFAULT_LIMIT;
	else if (!options_check_rows(options->limit))
		return FALSE;
	if (tree->wanted && !check_tree(options, older, site, tree))
		return FALSE;
	srcline->wanted |= tree->options.view.by_subsystem;
	if (!units_parse_time(older ? older : DEFAULT_OLDER, &options->older_ns, &error)) {
		message("%s", error->message);
		return FALSE;
	}
	options->site = site ? g_steal_pointer(&site) : g_strdup("");
	return TRUE;
}

int cmd_report(int argc, char **argv)
{
	Interval interval = { 0 };
	ReportOptions options = { .limit = LIMIT_UNSET, .interval = &interval };
	g_auto(Tree) tree = { 0 };
	g_auto(Srcline) srcline = { FALSE };
	g_autoptr(StoreDb) db = NULL;
	g_autofree const char *site = NULL;
	g_autofree char *page = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;
	const char *path;

	if (!parse(&argc, &argv, &options, &srcline, &tree, &page))
		return EXIT_USAGE;
	site = options.site;
	if (page)
		return report_command_run(argc, argv,
					  &(ReportCommand){ .print = html_output_print,
							    .options = page,
							    .srcline = &srcline });
	if (tree.dot)
		return dot_output_print(argc, argv,
					&(DotOutput){ .options = &tree.options,
						      .chosen = tree.chosen,
						      .srcline = &srcline,
						      .interval = &interval });
	if (tree.wanted)
		return report_command_run(argc, argv,
					  &(ReportCommand){ .print = calls_print,
							    .options = &tree.options,
							    .site = site,
							    .json = options.json,
							    .srcline = &srcline,
							    .interval = &interval });
	path = default_file_or_argument(argc, argv, DEFAULT_ANY);
	if (!path)
		return EXIT_USAGE;
	options.name = path;
	db = source_open(path, &error);
	if (!db || (*site && !site_check(db, site, &error)) ||
	    !srcline_open(&srcline, db, &error) || !interval_restrict(db, &interval, &error) ||
	    !(options.full ? report_print : overview_print)(db, &options, stdout, &incomplete,
							    &error))
		return message_failed(error);
	if (!message_wrote_stdout("the report"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
