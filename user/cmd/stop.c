// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user stop: stop the tracer. */
#include "base/units.h"
#include "capture/source/source.h"
#include "capture/tracer/tracer.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/tracing.h"

/* *@state: the state before the stop. */
static gboolean stop(const char *source, gboolean discard, TracerState *state, CaptureStats *stats,
		     GError **error)
{
	g_autoptr(Control) control =
		source_open_kept(source, discard ? SOURCE_DISCARD : SOURCE_EXISTING, error);

	return control && tracer_claim(control, error) && tracer_state(control, state, error) &&
	       control_set(control, "enable", 0, error) && stats_read(control, stats, error) &&
	       (!discard || control_set(control, "reset", 1, error));
}

static void say_stopped(TracerState state, gboolean discard, const CaptureStats *stats)
{
	g_autofree char *written = units_format_count(stats->written);
	g_autofree char *lost = units_format_count(stats_lost_records(stats));

	if (state == TRACER_EMPTY)
		message("the tracer is already off and empty");
	else
		message("%s: %s events written, %s lost%s",
			state == TRACER_RUNNING ? "stopped" : "the tracer was stopped already",
			written, lost,
			discard ? ", all discarded" : "; kmemtrace-user extract collects them");
	if (stats->frozen && !discard)
		message(TRACING_FROZEN);
}

int cmd_stop(int argc, char **argv)
{
	gboolean discard = FALSE;
	const char *source;
	CaptureStats stats;
	TracerState state;
	GError *error = NULL;
	const GOptionEntry entries[] = { { "discard", 0, 0, G_OPTION_ARG_NONE, &discard,
					   "Discard all events and free the buffers", NULL },
					 G_OPTION_ENTRY_NULL };

	const GOptionEntry *const groups[] = { entries, tracing_source_entries, NULL };

	if (!options_parse_groups(
		    groups, "",
		    "Stop a tracer that runs without a recorder. Its events stay in its "
		    "buffers until they are extracted or discarded.",
		    &argc, &argv) ||
	    !options_no_argument(argc, argv) || !tracing_source(&source))
		return EXIT_USAGE;
	if (!stop(source, discard, &state, &stats, &error))
		return message_failed(error);
	say_stopped(state, discard, &stats);
	return stats_lack_records(&stats) && !discard ? EXIT_INCOMPLETE : EXIT_FINE;
}
