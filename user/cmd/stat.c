// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user stat: show the totals of a trace, without a database; or totals by process and the
 * like, or perf kmem's tables, which need one.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/select/select.h"
#include "report/summary/perfkmem.h"
#include "report/summary/report.h"
#include "report/summary/totals.h"

typedef struct {
	ReportOptions report;
	PerfKmemOptions perf;
	FilterOptions filters;
	char *input, *keys, *by;
} Arguments;

static void arguments_clear(Arguments *arguments)
{
	filter_options_clear(&arguments->filters);
	g_free(arguments->input);
	g_free(arguments->keys);
	g_free(arguments->by);
	g_strfreev(arguments->perf.keys);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Arguments, arguments_clear)

static gboolean is_perf(const PerfKmemOptions *perf)
{
	return perf->slab || perf->page || perf->caller || perf->alloc;
}

static gboolean check(int argc, char **argv, Arguments *arguments)
{
	PerfKmemOptions *perf = &arguments->perf;
	g_autoptr(GError) error = NULL;

	if (arguments->input && argc > 1) {
		message("unexpected argument '%s': one file at a time", argv[1]);
		return FALSE;
	}
	if (is_perf(perf) && arguments->by) {
		message("--by cannot be combined with --slab and --page, which print perf kmem's tables: -k slab selects a kind");
		return FALSE;
	}
	if (!is_perf(perf) && (arguments->keys || (perf->limit != -1 && !arguments->by))) {
		message(arguments->keys ? "-s needs --caller or --alloc"
					: "-n needs --by, --caller or --alloc");
		return FALSE;
	}
	if (is_perf(perf) && !filter_options_refuse(&arguments->filters, ~0U,
						    "cannot be combined with perf kmem's tables"))
		return FALSE;
	if (perf->limit != -1 && !options_check_rows(perf->limit))
		return FALSE;
	if (arguments->by && !report_command_check(REPORT_ROWS, arguments->by, NULL))
		return FALSE;
	perf->keys = arguments->keys ? g_strsplit(arguments->keys, ",", -1) : NULL;
	perf->json = arguments->report.json;
	if (perfkmem_check_keys(perf, &error))
		return TRUE;
	message("%s", error->message);
	return FALSE;
}

static gboolean parse(int *argc, char ***argv, Arguments *arguments)
{
	PerfKmemOptions *perf = &arguments->perf;
	const GOptionEntry entries[] = {
		{ "input", 'i', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &arguments->input,
		  "Read the trace FILE", "FILE" },
		{ "slab", 0, 0, G_OPTION_ARG_NONE, &perf->slab,
		  "Print perf kmem's tables of slab objects", NULL },
		{ "page", 0, 0, G_OPTION_ARG_NONE, &perf->page, "Print perf kmem's tables of pages",
		  NULL },
		{ "caller", 0, 0, G_OPTION_ARG_NONE, &perf->caller,
		  "Group perf kmem's tables by call site", NULL },
		{ "alloc", 0, 0, G_OPTION_ARG_NONE, &perf->alloc,
		  "Group perf kmem's tables by pointer or page frame", NULL },
		{ "by", 0, 0, G_OPTION_ARG_STRING, &arguments->by, REPORT_BY, "WHAT" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &perf->limit,
		  "Rows of each kind (default 10), or of perf kmem's tables (default all)", "N" },
		{ "line", 'l', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &perf->limit, "Same as -n",
		  "N" },
		{ "sort", 's', 0, G_OPTION_ARG_STRING, &arguments->keys,
		  "Sort by ptr, callsite, bytes, hit, pingpong, frag; or page, callsite, bytes, hit, order, "
		  "migtype, gfp",
		  "COLUMN[,COLUMN…]" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &arguments->report.json,
		  "Print JSON: an object of arrays", NULL },
		G_OPTION_ENTRY_NULL
	};
	const GOptionEntry *const groups[] = { entries, NULL };

	return filter_options_parse(
		       &arguments->filters, groups, "[FILE.kmt]",
		       "Say whether the trace is complete, and count its events, and what "
		       "was allocated, freed, live and unmatched of each kind. Needs no "
		       "database, except with --by, filters or perf kmem's options. "
		       "FILE.kmt is a trace (" CMD_TRACE_HELP ").",
		       argc, argv) &&
	       check(*argc, *argv, arguments);
}

/* Reads the trace, or with options of perf kmem or filters its database. */
static gboolean run(Arguments *arguments, gboolean *incomplete, GError **error)
{
	const char *name = arguments->report.name;
	g_autoptr(StoreDb) db = NULL;
	StoreLoadResult result;

	if (is_perf(&arguments->perf) ? !input_check(name, error)
				      : !input_check_trace("stat", name, error))
		return FALSE;
	arguments->report.selection = &arguments->filters.selection;
	db = is_perf(&arguments->perf) || selection_is_part(&arguments->filters.selection, 0)
		     ? input_open(name, error)
		     : input_totals(name, &result, error);
	if (!db)
		return FALSE;
	if (is_perf(&arguments->perf))
		return perfkmem_print(db, &arguments->perf, stdout, incomplete, error);
	return select_restrict(db, &arguments->filters.selection, error) &&
	       report_print_stat(db, &arguments->report, stdout, incomplete, error);
}

/* Returns an enum exit_code. */
static int run_by(Arguments *arguments)
{
	const TotalsOptions options = {
		.by = report_command_by(arguments->by, NULL),
		.limit = arguments->perf.limit == -1 ? REPORT_ROWS : arguments->perf.limit,
	};

	return report_command_run_on(
		arguments->report.name,
		&(ReportCommand){ .print = totals_print,
				  .options = &options,
				  .json = arguments->report.json,
				  .selection = &arguments->filters.selection });
}

int cmd_stat(int argc, char **argv)
{
	g_auto(Arguments) arguments = { .report.site = "", .perf.limit = -1 };
	DefaultFile kind;
	gboolean incomplete = FALSE;
	GError *error = NULL;

	if (!parse(&argc, &argv, &arguments))
		return EXIT_USAGE;
	kind = is_perf(&arguments.perf) || arguments.by ? DEFAULT_ANY : DEFAULT_TRACE;
	arguments.report.name = arguments.input ?: default_file_or_argument(argc, argv, kind);
	if (!arguments.report.name)
		return EXIT_USAGE;
	if (arguments.by)
		return run_by(&arguments);
	arguments.perf.name = arguments.report.name;
	if (!run(&arguments, &incomplete, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the totals"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
