// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user script: the events themselves.
 */
#include <errno.h>

#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/options.h"
#include "cmd/common/source.h"
#include "cmd/common/srcline.h"
#include "report/script/graph.h"
#include "report/script/script.h"

typedef struct {
	ScriptOptions script;
	char *address_text;
	guint64 address;
	GraphOptions graph;
	Interval interval;
	Srcline srcline;
	gboolean is_graph;
} Options;

static void options_clear(Options *options)
{
	srcline_clear(&options->srcline);
	g_free(options->address_text);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* In hexadecimal digits, as everywhere. */
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
		message("invalid --address '%s' (expected an address, as 0xffff888003bd8000)",
			text);
		return FALSE;
	}
	options->script.address = &options->address;
	return TRUE;
}

static gboolean check(const Options *options)
{
	const GraphOptions *graph = &options->graph;
	gboolean selects =
		graph->cpu != GRAPH_ALL || graph->tid != GRAPH_ALL || options->interval.from;

	if (!options->is_graph && selects)
		message("--cpu, --tid and --between need --graph");
	else if (options->is_graph &&
		 (options->script.stacks || srcline_is_wanted(&options->srcline)))
		message("--graph shows stacks by itself: it takes no --stacks or --srcline");
	else if (options->is_graph && options->address_text)
		message("--address is for events: --graph prints only allocations");
	else if (graph->cpu != GRAPH_ALL && graph->tid != GRAPH_ALL)
		message("--cpu and --tid are mutually exclusive");
	else if (graph->cpu < GRAPH_ALL || graph->tid < GRAPH_ALL)
		message("--cpu and --tid must not be negative");
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
		{ "cpu", 0, 0, G_OPTION_ARG_INT, &options->graph.cpu,
		  "With --graph: allocations of CPU N in time order", "N" },
		{ "tid", 0, 0, G_OPTION_ARG_INT, &options->graph.tid,
		  "With --graph: allocations of thread N", "N" },
		OPTIONS_BETWEEN_OF(" (with --graph)"),
		G_OPTION_ENTRY_NULL
	};

	return options_take_interval(argc, argv, &options->interval.from, &options->interval.to) &&
	       options_parse(entries, "[FILE.kmt]",
			     "Print the events of the trace FILE.kmt (" CMD_TRACE_HELP
			     ") in time order, one a line. Times are of CLOCK_MONOTONIC, or "
			     "since the first event with --relative. The character after the CPU "
			     "is the context: . task, s softirq, h hardirq. With --graph, print "
			     "allocations like the function graph tracer prints calls; this loads "
			     "the trace into a database first.",
			     argc, argv) &&
	       check(options) && read_address(options);
}

/* Line by line: of all that was allocated it may be too long for memory. */
static int print_graph(int argc, char **argv, Options *options)
{
	const char *path = default_file_or_argument(argc, argv, DEFAULT_ANY);
	g_auto(Printer) answer = { .name = path, .out = stdout, .interval = &options->interval };
	g_autoptr(StoreDb) db = NULL;
	GError *error = NULL;

	if (!path)
		return EXIT_USAGE;
	db = answer.db = source_open(path, &error);
	if (!db || !interval_restrict(db, &options->interval, &error) ||
	    !printer_begin(&answer, &error) || !graph_print(&answer, &options->graph, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the graph"))
		return EXIT_FAILED;
	return completeness_is_incomplete(&answer.completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}

/* What was printed stays; the totals show whether it is all. */
static int judge(const char *path)
{
	StoreLoadResult result;
	GError *error = NULL;
	g_autoptr(StoreDb) db = source_totals(path, &result, &error);

	return source_judge(db, error);
}

int cmd_script(int argc, char **argv)
{
	g_auto(Options) options = { .graph = { GRAPH_ALL, GRAPH_ALL } };
	GError *error = NULL;
	const char *path;

	if (!parse(&argc, &argv, &options))
		return EXIT_USAGE;
	if (options.is_graph)
		return print_graph(argc, argv, &options);
	path = default_file_or_argument(argc, argv, DEFAULT_TRACE);
	if (!path)
		return EXIT_USAGE;
	options.script.lines = srcline_is_wanted(&options.srcline);
	options.script.stacks |= options.script.lines;
	options.script.places = srcline_places(&options.srcline);
	if (!source_check_trace("script", path, &error) ||
	    !script_print(path, &options.script, stdout, &error))
		return message_failed(error);
	return message_wrote_stdout("the events") ? judge(path) : EXIT_FAILED;
}
