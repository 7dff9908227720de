// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user script: print the events in time order. */
#include <errno.h>

#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/srcline.h"
#include "report/script/graph.h"
#include "report/script/script.h"
#include "report/select/select.h"

typedef struct {
	ScriptOptions script;
	char *address_text;
	guint64 address;
	GraphOptions graph;
	FilterOptions filters;
	Srcline srcline;
	gboolean is_graph;
} Options;

static void options_clear(Options *options)
{
	filter_options_clear(&options->filters);
	srcline_clear(&options->srcline);
	g_free(options->address_text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* Parses hexadecimal digits. */
static gboolean read_address(Options *options)
{
	const char *text = options->address_text;
	char *end = NULL;

	if (!text)
		return TRUE;
	if (g_ascii_isxdigit(text[0])) {
		errno = 0;
		options->address = g_ascii_strtoull(text, &end, 16);
	}
	if (!end || *end || errno) {
		message("invalid --address '%s' (expected an address, such as 0xffff888003bd8000)",
			text);
		return FALSE;
	}
	options->script.address = &options->address;
	return TRUE;
}

/* Passes a single CPU to the graph, which is then in the order of that CPU. */
static void take_cpu(Options *options)
{
	const Range *cpu = &options->filters.selection.range[SELECT_CPU];

	if (!options->is_graph || !options->filters.text[SELECT_CPU] || cpu->least != cpu->most ||
	    cpu->least > G_MAXINT)
		return;
	options->graph.cpu = (int)cpu->least;
	filter_options_own(&options->filters, SELECT_BIT(SELECT_CPU));
}

static gboolean check(Options *options)
{
	const GraphOptions *graph = &options->graph;
	const char *cpu = options->filters.text[SELECT_CPU];

	take_cpu(options);
	if (!options->is_graph && graph->tid != GRAPH_ALL)
		message("--tid needs --graph");
	else if (options->is_graph &&
		 (options->script.stacks || srcline_is_wanted(&options->srcline)))
		message("--graph shows stacks by itself: it takes no --stacks or --srcline");
	else if (options->is_graph && options->address_text)
		message("--address is for events: --graph prints only allocations");
	else if (cpu && graph->tid != GRAPH_ALL)
		message("--cpu and --tid are mutually exclusive");
	else if (graph->tid < GRAPH_ALL)
		message("--tid must not be negative");
	else
		return TRUE;
	return FALSE;
}

static gboolean parse(int *argc, char ***argv, Options *options)
{
	const GOptionEntry entries[] = {
		{ "stacks", 0, 0, G_OPTION_ARG_NONE, &options->script.stacks,
		  "Print each event's stack below it", NULL },
		SRCLINE_ENTRIES(options->srcline),
		{ "relative", 0, 0, G_OPTION_ARG_NONE, &options->script.relative,
		  "Print times relative to the first event", NULL },
		{ "address", 0, 0, G_OPTION_ARG_STRING, &options->address_text,
		  "Print only events of the memory at ADDRESS: objects that contain it, its page",
		  "ADDRESS" },
		{ "graph", 0, 0, G_OPTION_ARG_NONE, &options->is_graph,
		  "Print allocations nested by their stacks, thread by thread", NULL },
		{ "tid", 0, 0, G_OPTION_ARG_INT, &options->graph.tid,
		  "With --graph: allocations of thread N", "N" },
		G_OPTION_ENTRY_NULL
	};

	const GOptionEntry *const groups[] = { entries, NULL };

	return filter_options_parse(
		       &options->filters, groups, "[FILE.kmt]",
		       "Print the events of the trace FILE.kmt (" CMD_TRACE_HELP
		       ") in time order, one a line. Times are of CLOCK_MONOTONIC, or "
		       "since the first event with --relative. The character after the CPU "
		       "is the context: . task, s softirq, h hardirq. With --graph, print "
		       "allocations like the function graph tracer prints calls. This and "
		       "filters load the trace into a database first. Filters select "
		       "allocations, of which all events are printed; --from, --to and "
		       "--between select events.",
		       argc, argv) &&
	       check(options) && read_address(options);
}

/* Prints line by line: the whole graph may exceed memory. */
static int print_graph(int argc, char **argv, Options *options)
{
	const char *path = default_file_or_argument(argc, argv, DEFAULT_ANY);
	g_auto(Printer)
		answer = { .name = path, .out = stdout, .selection = &options->filters.selection };
	g_autoptr(StoreDb) db = NULL;
	GError *error = NULL;

	if (!path)
		return EXIT_USAGE;
	db = answer.db = input_open(path, &error);
	if (!db || !select_restrict(db, &options->filters.selection, &error) ||
	    !printer_begin(&answer, &error) || !graph_print(&answer, &options->graph, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the graph"))
		return EXIT_FAILED;
	return completeness_is_incomplete(&answer.completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}

/* Returns the exit code, by the totals of the trace. The printed events stay. */
static int judge(const char *path)
{
	StoreLoadResult result;
	GError *error = NULL;
	g_autoptr(StoreDb) db = input_totals(path, &result, &error);

	return input_judge(db, error);
}

/*
 * Opens the database of the trace, and applies the filters. The interval selects events, not
 * allocations: an allocation may be freed in it, and allocated before.
 */
static StoreDb *select_events(const char *path, Options *options, GError **error)
{
	Selection *selection = &options->filters.selection;
	g_autoptr(StoreDb) db = input_open(path, error);

	if (!db || !selection_find(db, selection, error))
		return NULL;
	if (selection_has_interval(selection)) {
		options->script.window = TRUE;
		options->script.from_ns = selection->from_ns;
		options->script.to_ns = selection->to_ns;
	}
	selection->from = selection->to = NULL;
	if (!select_restrict(db, selection, error))
		return NULL;
	if (selection_is_part(selection, 0))
		options->script.selected = db;
	return g_steal_pointer(&db);
}

static int print_events(const char *path, Options *options)
{
	g_autoptr(StoreDb) db = NULL;
	GError *error = NULL;

	options->script.lines = srcline_is_wanted(&options->srcline);
	options->script.stacks |= options->script.lines;
	options->script.places = srcline_places(&options->srcline);
	if (!input_check_trace("script", path, &error))
		return message_failed(error);
	if (selection_is_part(&options->filters.selection, 0)) {
		db = select_events(path, options, &error);
		if (!db)
			return message_failed(error);
	}
	if (!script_print(path, &options->script, stdout, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the events"))
		return EXIT_FAILED;
	return db ? input_judge(db, NULL) : judge(path);
}

int cmd_script(int argc, char **argv)
{
	g_auto(Options) options = { .graph = { GRAPH_ALL, GRAPH_ALL } };
	const char *path;

	if (!parse(&argc, &argv, &options))
		return EXIT_USAGE;
	if (options.is_graph)
		return print_graph(argc, argv, &options);
	path = default_file_or_argument(argc, argv, DEFAULT_TRACE);
	if (!path)
		return EXIT_USAGE;
	return print_events(path, &options);
}
