/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of the traced machine, so that the trace can be read anywhere: its identity, names,
 * tracer settings, and memory counters. Symbols are in modules.h.
 */
#ifndef KMT_CAPTURE_TARGET_SNAPSHOT_H
#define KMT_CAPTURE_TARGET_SNAPSHOT_H

#include "capture/tracer/control.h"
#include "trace/file/writer.h"

/* Writes a text that was read at this moment. */
gboolean snapshot_write_text(struct trace_writer *writer, const char *name,
			     enum kmemtrace_phase phase, const char *text, gsize len,
			     GError **error);

typedef struct {
	const char *source;   /* from control_source() */
	const char *mode;     /* how it is recorded, see Documentation/kmt-file.rst */
	const char *recorder; /* recorder_pids() */
	guint part;           /* number of the file; 0: the only one */
	const char *command;  /* the recorded command; NULL: the whole system */
} SnapshotHost;

/* Writes what identifies the target and the recording. */
gboolean snapshot_write_host(struct trace_writer *writer, const SnapshotHost *host, GError **error);

/*
 * Writes the tracer's texts and, with @with_memory, those of /proc that belong to @phase. Texts
 * that the kernel lacks (such as slabinfo) are left out; failing to write one is an error.
 */
gboolean snapshot_write_files(struct trace_writer *writer, const Control *control,
			      enum kmemtrace_phase phase, gboolean with_memory, GError **error);

/*
 * Writes the tracer's settings, and which sources of events it found. The tracer must be running.
 */
gboolean snapshot_write_settings(struct trace_writer *writer, const Control *control,
				 enum kmemtrace_phase phase, GError **error);

/* Writes the tracer's stack table from @*offset bytes on and advances @*offset. */
gboolean snapshot_write_stacks(struct trace_writer *writer, const Control *control, guint64 *offset,
			       GError **error);

#endif
