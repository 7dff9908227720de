// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/adopt.h"

#include <unistd.h>

#include "base/message.h"
#include "base/units.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/stats.h"
#include "capture/tracer/tracer.h"

gboolean adopt_refuse(const Control *control, GError **error)
{
	g_autofree char *count = NULL;
	CaptureStats stats;
	TracerState state;

	if (!tracer_state(control, &state, error) || !stats_read(control, &stats, error))
		return FALSE;
	if (state == TRACER_EMPTY)
		return TRUE;
	count = units_format_count(stats.written);
	g_set_error(
		error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
		"the tracer is %s, without a recorder, and not all of its %s events were collected: kmemtrace-user extract collects them, record --continue continues with them, --discard discards them",
		tracer_state_name(state), count);
	return FALSE;
}

gboolean adopt_discard(const Control *control, GError **error)
{
	g_autofree char *count = NULL;
	CaptureStats stats;
	TracerState state;

	if (!tracer_state(control, &state, error))
		return FALSE;
	if (state == TRACER_EMPTY)
		return TRUE;
	if (!control_set(control, "enable", 0, error) || !stats_read(control, &stats, error))
		return FALSE;
	count = units_format_count(stats.written);
	message("the tracer was %s, without a recorder: its %s events are discarded",
		state == TRACER_RUNNING ? "running" : "stopped", count);
	return TRUE;
}

/* Buffers in overwrite mode can't be drained. */
static gboolean stop_overwriting(const Control *control, GError **error)
{
	if (!tracer_overwrites(control))
		return TRUE;
	message("the tracer overwrote its oldest events: it pauses briefly, and keeps all events from now on");
	return control_set(control, "enable", 0, error) &&
	       control_set(control, "overwrite", 0, error);
}

gboolean adopt_check(const Control *control, GError **error)
{
	TracerState state;

	if (!tracer_state(control, &state, error))
		return FALSE;
	if (state == TRACER_EMPTY)
		return control_fail(
			error, CAPTURE_ERROR_FAILED,
			"the tracer is off and empty: kmemtrace-user start begins a trace");
	return TRUE;
}

gboolean adopt_check_alive(const Control *control, GError **error)
{
	if (!adopt_check(control, error))
		return FALSE;
	if (!stats_are_frozen(control))
		return TRUE;
	return control_fail(
		error, CAPTURE_ERROR_FAILED,
		"an oops of the kernel stopped the tracer, which keeps the events before it and can't continue: kmemtrace-user extract collects them");
}

gboolean adopt_check_file(const Control *control, const char *path, GError **error)
{
	CaptureStats stats;

	if (access(path, F_OK) || tracer_overwrites(control))
		return TRUE;
	if (!stats_read(control, &stats, error))
		return FALSE;
	if (!stats.consumed)
		return TRUE;
	g_set_error(
		error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		"%s may have the first events of this trace, which were collected earlier: -o FILE writes the others to another file (-o %s replaces it)",
		path, path);
	return FALSE;
}

gboolean adopt_keep(const Control *control, GError **error)
{
	return stop_overwriting(control, error) && control_set(control, "enable", 1, error);
}
