// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/extract.h"

#include <string.h>

#include "base/message.h"
#include "capture/process/oom.h"
#include "capture/recording/drain.h"
#include "capture/recording/tracefile.h"
#include "capture/source/source.h"
#include "capture/target/kallsyms.h"
#include "capture/tracer/adopt.h"
#include "capture/tracer/tracer.h"

/* Subtracts losses before the end of an earlier file. */
static void subtract_lost(CaptureStats *stats, const CaptureStats *before)
{
	for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		stats->lost[reason] -= MIN(stats->lost[reason], before->lost[reason]);
}

static gboolean write_events(const Control *control, TraceFile *file, ExtractResult *result,
			     GError **error)
{
	Drain *drain = drain_start(control, tracefile_writer(file), error);
	CaptureStats before = { 0 };

	if (!drain || !drain_finish(drain, &result->events, &before, error) ||
	    !stats_read(control, &result->stats, error))
		return FALSE;
	subtract_lost(&result->stats, &before);
	return tracefile_settings(file, KMEMTRACE_PHASE_END, error) && tracefile_end(file, error);
}

static gboolean write_file(const Control *control, const TraceFileOptions *options,
			   ExtractResult *result, GError **error)
{
	TraceFile *file = tracefile_create(control, options, error);
	gboolean fine = file && tracefile_settings(file, KMEMTRACE_PHASE_START, error) &&
			tracefile_replace(file, error) &&
			write_events(control, file, result, error);

	if (file && !tracefile_close(file, fine, &result->bytes, fine ? error : NULL))
		fine = FALSE;
	return fine;
}

/* Returns @fine, or FALSE if the tracer can't continue. */
static gboolean resume(const Control *control, gboolean fine, GError **error)
{
	g_autoptr(GError) why = NULL;

	if (control_set(control, "enable", 1, &why))
		return fine;
	if (fine)
		g_propagate_prefixed_error(error, g_steal_pointer(&why),
					   "the file is complete, but the tracer stays off: ");
	else
		message("the tracer stays off: %s", why->message);
	return FALSE;
}

/*
 * @was_running: before the extraction. After a failed write, the tracer continues as before. One
 * that an oops of the kernel stopped only continues after a reset.
 */
static gboolean leave(const Control *control, gboolean was_running, gboolean fine,
		      const ExtractOptions *options, GError **error)
{
	gboolean goes_on = was_running && (!fine || options->keep_running);
	gboolean frozen = stats_are_frozen(control);

	if (!fine && frozen)
		return FALSE;
	if ((frozen || !goes_on) &&
	    !(fine && control_set(control, "reset",
				  goes_on ? KMEMTRACE_RESET_FOLLOWS : KMEMTRACE_RESET_ALL, error)))
		return FALSE;
	return goes_on ? resume(control, fine, error) : fine;
}

/* Stops the tracer first: in overwrite mode our own events would replace others. */
static gboolean extract(Control *control, const ExtractOptions *options, Lookup *lookup,
			ExtractResult *result, GError **error)
{
	TraceFileOptions file_options = {
		.output = options->output,
		.mode = "extract",
		.late = TRUE,
		.stopped = TRUE,
		.lookup = lookup,
	};
	TracerState state;
	gint64 off_us;
	gboolean fine;

	if (!kallsyms_check(error) || !adopt_check(control, error) ||
	    !(options->output.is_named || adopt_check_file(control, options->output.path, error)) ||
	    !tracer_state(control, &state, error) || !control_set(control, "enable", 0, error))
		return FALSE;
	off_us = g_get_monotonic_time();
	fine = write_file(control, &file_options, result, error);
	fine = leave(control, state == TRACER_RUNNING, fine, options, error);
	result->pause_ns = (g_get_monotonic_time() - off_us) * 1000;
	return fine;
}

/* Sets *@lookup to NULL if the tracer records no user stacks. */
static gboolean start_lookup(const Control *control, Lookup **lookup, GError **error)
{
	guint64 user_stacks = 0;

	if (!control_get(control, "user_stacks", &user_stacks, NULL) || !user_stacks)
		return TRUE;
	*lookup = lookup_new(error);
	return *lookup != NULL;
}

gboolean extract_write(const ExtractOptions *options, ExtractResult *result, GError **error)
{
	g_autoptr(Control) control = source_open_kept(options->source, SOURCE_EXISTING, error);
	Lookup *lookup = NULL;
	gboolean fine;

	memset(result, 0, sizeof(*result));
	oom_protect(); /* if this process were killed, the tracer would stay stopped */
	fine = control && tracer_claim(control, error) && start_lookup(control, &lookup, error) &&
	       extract(control, options, lookup, result, error);
	lookup_free(lookup);
	return fine;
}
