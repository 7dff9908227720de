// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/extract.h"

#include <string.h>

#include "capture/drain.h"
#include "capture/kallsyms.h"
#include "capture/takeover.h"
#include "capture/tracefile.h"
#include "capture/tracer.h"

static gboolean write_file(const Control *control, TraceFile *file, ExtractResult *result,
			   GError **error)
{
	Drain *drain;

	if (!tracefile_settings(file, KMEMTRACE_PHASE_START, error) ||
	    !tracefile_settings(file, KMEMTRACE_PHASE_END, error) ||
	    !control_set(control, "enable", 0, error))
		return FALSE;
	drain = drain_start(control, tracefile_writer(file), error);
	return drain && drain_finish(drain, &result->events, error) &&
	       stats_read(control, &result->stats, error) && tracefile_end(file, error);
}

/* @was_running: it was so before. */
static gboolean leave(const Control *control, gboolean was_running, const ExtractOptions *options,
		      GError **error)
{
	if (was_running && options->keep_running)
		return control_set(control, "enable", 1, error);
	return control_set(control, "reset", 1, error);
}

static gboolean extract(Control *control, const ExtractOptions *options, ExtractResult *result,
			GError **error)
{
	TraceFileOptions file_options = {
		.path = options->path,
		.mode = "extract",
		.late = TRUE,
	};
	TracerState state;
	TraceFile *file;
	gint64 off_us;
	gboolean fine;

	if (!tracer_claim(control, error) || !kallsyms_check(error) ||
	    !takeover_check(control, error) || !tracer_state(control, &state, error))
		return FALSE;
	file = tracefile_create(control, &file_options, error);
	if (!file)
		return FALSE;
	off_us = g_get_monotonic_time();
	fine = write_file(control, file, result, error);
	if (!tracefile_close(file, fine, &result->bytes, fine ? error : NULL))
		fine = FALSE;
	if (fine)
		fine = leave(control, state == TRACER_RUNNING, options, error);
	result->pause_ns = (g_get_monotonic_time() - off_us) * 1000;
	return fine;
}

gboolean extract_write(const ExtractOptions *options, ExtractResult *result, GError **error)
{
	g_autoptr(Control) control = control_open(error);

	memset(result, 0, sizeof(*result));
	return control && extract(control, options, result, error);
}
