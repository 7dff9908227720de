// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/tracefile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "capture/process/recorder_pids.h"
#include "capture/target/buddyinfo_log.h"
#include "capture/target/modules.h"
#include "capture/target/snapshot.h"
#include "capture/target/usermaps.h"
#include "trace/file/chunk.h"

struct TraceFile {
	const Control *control;
	TraceFileOptions options; /* of this part */
	struct trace_writer *writer;
	Modules *modules;
	BuddyinfoLog *free_times;
	UserMaps *user_maps;  /* NULL: no user stacks */
	char *path;           /* final name */
	char *unfinished;     /* name until complete; NULL: the same */
	char *beside;         /* name until tracefile_replace(); NULL: the same */
	guint64 stack_offset; /* bytes of the stack table in the file */
	guint64 bytes;        /* of earlier parts */
};

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err->text);
	return FALSE;
}

/* Closes the file, with the END chunk if @complete, and adds its size to *@bytes. */
static gboolean close_writer(struct trace_writer *writer, gboolean complete, guint64 *bytes,
			     GError **error)
{
	struct trace_error err = { "" };

	*bytes += trace_writer_bytes(writer) + (complete ? trace_chunk_span(0) : 0);
	return trace_writer_close(writer, complete, &err) == 0 || fail_trace(&err, error);
}

/* Writes the texts of the start, for @file's options. */
static gboolean write_start(TraceFile *file, struct trace_writer *writer, GError **error)
{
	const TraceFileOptions *options = &file->options;
	g_autofree char *command = NULL, *recorder = recorder_pids(options->lookup);
	SnapshotHost host = {
		.source = control_source(file->control),
		.mode = options->mode,
		.recorder = recorder,
		.part = options->part,
	};

	if (options->command)
		host.command = command =
			g_strdelimit(g_strjoinv(" ", (char **)options->command), "\n\r", ' ');
	return snapshot_write_host(writer, &host, error) &&
	       snapshot_write_files(writer, file->control, KMEMTRACE_PHASE_START, !options->late,
				    error);
}

TraceFile *tracefile_create(const Control *control, const TraceFileOptions *options, GError **error)
{
	TraceFile *file = g_new0(TraceFile, 1);
	Output output = options->output;

	file->control = control;
	file->options = *options;
	file->free_times = buddyinfo_log_new();
	file->user_maps = options->lookup ? usermaps_new(options->lookup, USERMAPS_SECONDS) : NULL;
	file->path = g_strdup(output.path);
	output.is_part = options->whole;
	if (options->whole)
		output.path = file->unfinished = g_strconcat(output.path, ".part", NULL);
	if (!options->whole || outfile_check(file->path, &output_kind, error))
		file->writer = output_open(&output, options->whole ? NULL : &file->beside, error);
	if (file->writer && write_start(file, file->writer, error))
		file->modules = modules_start(control, file->writer, error);
	if (file->modules)
		return file;
	tracefile_close(file, FALSE, NULL, NULL);
	return NULL;
}

gboolean tracefile_replace(TraceFile *file, GError **error)
{
	if (file->beside && !outfile_finish(file->beside, file->path, &output_kind, error))
		return FALSE;
	g_clear_pointer(&file->beside, g_free);
	return TRUE;
}

struct trace_writer *tracefile_writer(TraceFile *file)
{
	return file->writer;
}

/* Writes the mappings of processes, and their files; a recording may end at any time. */
static gboolean write_user_maps(TraceFile *file, enum kmemtrace_phase phase, GError **error)
{
	return usermaps_write(file->user_maps, file->writer, file->control, phase, error) &&
	       usermaps_look(file->user_maps, file->writer, file->control, error);
}

/*
 * Returns whether to write mappings at this phase: a flight recording may overwrite the events of
 * mappings before its end.
 */
static gboolean needs_user_maps(const TraceFile *file, enum kmemtrace_phase phase)
{
	return file->user_maps && !file->options.stopped &&
	       (phase == KMEMTRACE_PHASE_START || file->options.whole);
}

gboolean tracefile_settings(TraceFile *file, enum kmemtrace_phase phase, GError **error)
{
	/* Data that changes while it is read comes first. */
	if (needs_user_maps(file, phase) && !write_user_maps(file, phase, error))
		return FALSE;
	return snapshot_write_settings(file->writer, file->control, phase, error);
}

static gboolean write_user_files(TraceFile *file, struct trace_writer *writer, GError **error)
{
	return !file->user_maps ||
	       usermaps_write_files(file->user_maps, writer, file->control, error);
}

gboolean tracefile_look(TraceFile *file, GError **error)
{
	return snapshot_write_stacks(file->writer, file->control, &file->stack_offset, error) &&
	       modules_look(file->modules, file->writer, error) &&
	       buddyinfo_log_look(file->free_times, file->control, file->writer, error) &&
	       (!file->user_maps ||
		usermaps_look(file->user_maps, file->writer, file->control, error));
}

/* Writes the number of the last part, for readers of all parts, or without the last one. */
static gboolean write_last_part(TraceFile *file, GError **error)
{
	g_autofree char *number = g_strdup_printf("%u\n", file->options.part);

	return !file->options.part ||
	       snapshot_write_text(file->writer, "last_part", KMEMTRACE_PHASE_END, number,
				   strlen(number), error);
}

gboolean tracefile_end(TraceFile *file, GError **error)
{
	return write_last_part(file, error) &&
	       snapshot_write_files(file->writer, file->control, KMEMTRACE_PHASE_END, TRUE,
				    error) &&
	       snapshot_write_stacks(file->writer, file->control, &file->stack_offset, error) &&
	       modules_end(file->modules, file->writer, error) &&
	       buddyinfo_log_end(file->free_times, file->control, file->writer, error) &&
	       write_user_files(file, file->writer, error);
}

/* ---- parts ---- */

/* Writes everything before the events of a part. *@stack_offset: bytes of the stack table in it. */
static gboolean begin_part(TraceFile *file, struct trace_writer *next, guint64 *stack_offset,
			   GError **error)
{
	*stack_offset = 0;
	return write_start(file, next, error) && modules_write(file->modules, next, error) &&
	       snapshot_write_settings(next, file->control, KMEMTRACE_PHASE_START, error) &&
	       snapshot_write_stacks(next, file->control, stack_offset, error);
}

/*
 * Ends the previous part, to which no more sub-buffers are written: the stacks of its events are in
 * the table by now.
 */
static gboolean end_part(TraceFile *file, struct trace_writer *last, guint64 stack_offset,
			 GError **error)
{
	gboolean fine;

	fine = snapshot_write_settings(last, file->control, KMEMTRACE_PHASE_END, error) &&
	       snapshot_write_files(last, file->control, KMEMTRACE_PHASE_END, TRUE, error) &&
	       snapshot_write_stacks(last, file->control, &stack_offset, error) &&
	       modules_end(file->modules, last, error) &&
	       buddyinfo_log_end(file->free_times, file->control, last, error) &&
	       write_user_files(file, last, error);
	return close_writer(last, fine, &file->bytes, fine ? error : NULL) && fine;
}

/*
 * Writes mappings for a reader of this part alone. The part already receives events, since it must
 * have all events from this reading on.
 */
static gboolean begin_user_maps(TraceFile *file, GError **error)
{
	if (!file->user_maps)
		return TRUE;
	usermaps_new_file(file->user_maps);
	return write_user_maps(file, KMEMTRACE_PHASE_END, error);
}

gboolean tracefile_next_part(TraceFile *file, const char *path, GError **error)
{
	guint64 last_offset = file->stack_offset;
	struct trace_writer *other;
	gboolean fine;

	file->options.output.path = path;
	file->options.late = TRUE;
	file->options.part++;
	other = output_open(&file->options.output, NULL, error);
	if (!other)
		return FALSE;
	if (!begin_part(file, other, &file->stack_offset, error)) {
		trace_writer_close(other, FALSE, NULL);
		outfile_drop(path);
		file->stack_offset = last_offset;
		return FALSE;
	}
	trace_writer_exchange(file->writer, other);
	g_free(file->path);
	file->path = g_strdup(path);
	fine = begin_user_maps(file, error);
	return end_part(file, other, last_offset, fine ? error : NULL) && fine;
}

/* ---- the end ---- */

static gboolean end_writer(TraceFile *file, gboolean complete, GError **error)
{
	g_autoptr(GError) taken = NULL;

	if (!close_writer(file->writer, complete, &file->bytes, error))
		return FALSE;
	if (!complete || !file->unfinished ||
	    outfile_finish(file->unfinished, file->path, &output_kind, &taken))
		return TRUE;
	/* Another user may have created a file of that name: this must not end a recording. */
	message("%s: the file is %s", taken->message, file->unfinished);
	if (file->options.is_part)
		*file->options.is_part = TRUE;
	return TRUE;
}

gboolean tracefile_close(TraceFile *file, gboolean complete, guint64 *bytes, GError **error)
{
	gboolean fine = !file->writer || end_writer(file, complete, error);

	if (file->beside)
		outfile_drop(file->beside);
	if (file->unfinished)
		outfile_keep_part(file->unfinished);
	if (bytes)
		*bytes = file->bytes;
	modules_free(file->modules);
	buddyinfo_log_free(file->free_times);
	usermaps_free(file->user_maps);
	g_free(file->path);
	g_free(file->unfinished);
	g_free(file->beside);
	g_free(file);
	return fine;
}
