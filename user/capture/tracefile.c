// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracefile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "capture/modules.h"
#include "capture/snapshot.h"

struct TraceFile {
	const Control *control;
	struct trace_writer *writer;
	Modules *modules;
	char *path;		/* that it has at the end */
	char *part;		/* that it has until then; NULL: the same */
	guint64 stack_offset;	/* bytes of the stack table that are in the file */
	char *times;		/* the tracer's list of modules that is in the file, or NULL */
};

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err->text);
	return FALSE;
}

static gboolean write_start(TraceFile *file, const TraceFileOptions *options, GError **error)
{
	g_autofree char *command = NULL;

	if (options->command)
		command = g_strdelimit(g_strjoinv(" ", (char **)options->command), "\n\r", ' ');
	file->modules = modules_start(file->writer, error);
	return file->modules && snapshot_write_host(file->writer, options->mode, command, error) &&
	       snapshot_write_files(file->writer, file->control, KMEMTRACE_PHASE_START,
				    !options->late, error);
}

TraceFile *tracefile_create(const Control *control, const TraceFileOptions *options, GError **error)
{
	TraceFile *file = g_new0(TraceFile, 1);
	struct trace_error err = { "" };
	gboolean fine;

	file->control = control;
	file->path = g_strdup(options->path);
	if (options->whole)
		file->part = g_strconcat(options->path, ".part", NULL);
	if (trace_writer_create(file->part ? file->part : file->path, &file->writer, &err))
		fine = fail_trace(&err, error);
	else
		fine = write_start(file, options, error);
	if (fine)
		return file;
	tracefile_close(file, FALSE, NULL, NULL);
	return NULL;
}

struct trace_writer *tracefile_writer(TraceFile *file)
{
	return file->writer;
}

gboolean tracefile_settings(TraceFile *file, enum kmemtrace_phase phase, GError **error)
{
	return snapshot_write_settings(file->writer, file->control, phase, error);
}

/* The last one in the file counts: one that is killed has what was known until then. */
static gboolean look_at_times(TraceFile *file, GError **error)
{
	g_autofree char *times = control_read(file->control, "modules", NULL);

	if (!times || g_strcmp0(times, file->times) == 0)
		return TRUE;
	g_free(file->times);
	file->times = g_steal_pointer(&times);
	return snapshot_write_text(file->writer, "module_times", KMEMTRACE_PHASE_END, file->times,
				   strlen(file->times), error);
}

gboolean tracefile_look(TraceFile *file, GError **error)
{
	return snapshot_write_stacks(file->writer, file->control, &file->stack_offset, error) &&
	       modules_look(file->modules, error) && look_at_times(file, error);
}

gboolean tracefile_end(TraceFile *file, GError **error)
{
	return snapshot_write_files(file->writer, file->control, KMEMTRACE_PHASE_END, TRUE,
				    error) &&
	       snapshot_write_stacks(file->writer, file->control, &file->stack_offset, error) &&
	       modules_end(file->modules, file->writer, error) && look_at_times(file, error);
}

static gboolean close_writer(TraceFile *file, gboolean complete, guint64 *bytes, GError **error)
{
	struct trace_error err = { "" };

	if (bytes)
		*bytes = trace_writer_bytes(file->writer);
	if (trace_writer_close(file->writer, complete, &err))
		return fail_trace(&err, error);
	if (!complete || !file->part || g_rename(file->part, file->path) == 0)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't rename %s to %s: %s",
		    file->part, file->path, g_strerror(errno));
	return FALSE;
}

gboolean tracefile_close(TraceFile *file, gboolean complete, guint64 *bytes, GError **error)
{
	gboolean fine = !file->writer || close_writer(file, complete, bytes, error);

	modules_free(file->modules);
	g_free(file->path);
	g_free(file->part);
	g_free(file->times);
	g_free(file);
	return fine;
}
