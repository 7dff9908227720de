// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user extract: collect the events of a tracer without a recorder. */
#include "capture/recording/extract.h"

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/destination.h"
#include "cmd/common/options.h"
#include "cmd/common/tracing.h"

static void say_extracted(const ExtractOptions *options, const ExtractResult *result)
{
	g_autofree char *events = units_format_count(result->events);
	g_autofree char *size = units_format_size(result->bytes);
	g_autofree char *pause = units_format_time(result->pause_ns);

	message("extracted %s events to %s (%s)%s%s", events, options->output.path, size,
		options->keep_running ? "; the tracer paused for " : "",
		options->keep_running ? pause : "");
	tracing_say_lost(&result->stats);
}

int cmd_extract(int argc, char **argv)
{
	ExtractOptions options = { 0 };
	ExtractResult result;
	GError *error = NULL;
	const GOptionEntry entries[] = { { "keep-running", 0, 0, G_OPTION_ARG_NONE,
					   &options.keep_running, "Leave the tracer running",
					   NULL },
					 G_OPTION_ENTRY_NULL };
	const GOptionEntry *const groups[] = { destination_entries, entries, tracing_source_entries,
					       NULL };

	if (!options_parse_groups(
		    groups, "",
		    "Collect the events that the tracer recorded since start, or since "
		    "boot, into a trace file. A running tracer is stopped, and its buffers "
		    "are emptied.",
		    &argc, &argv) ||
	    !options_no_argument(argc, argv) || !destination_given(&options.output, FALSE) ||
	    !tracing_source(&options.source))
		return EXIT_USAGE;
	if (!extract_write(&options, &result, &error))
		return message_failed(error);
	say_extracted(&options, &result);
	return stats_lack_records(&result.stats) ? EXIT_INCOMPLETE : EXIT_FINE;
}
