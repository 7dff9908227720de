/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace file while it is recorded: the texts of its start, periodic checks, and the texts of its
 * end. A Drain adds the sub-buffers. A recording may be split into parts, each a file that can be
 * read on its own.
 */
#ifndef KMT_CAPTURE_RECORDING_TRACEFILE_H
#define KMT_CAPTURE_RECORDING_TRACEFILE_H

#include "capture/process/lookup.h"
#include "capture/recording/output.h"
#include "capture/tracer/control.h"

typedef struct TraceFile TraceFile;

typedef struct {
	Output output;
	const char *mode;     /* of recording: "record", "continue", "flight", "extract" */
	char *const *command; /* the traced command; NULL: everything is traced */
	gboolean *is_part;    /* set if a whole file keeps its .part name; NULL: not wanted */
	gboolean whole;       /* named with .part until it is complete */
	gboolean late; /* tracing began earlier: the state of /proc at the start is not available */
	Lookup *lookup;   /* for user stacks; NULL: not recorded */
	gboolean stopped; /* the tracer is off: mappings of processes are outdated */
	guint part;       /* its number, from 1; 0: a single file */
} TraceFileOptions;

/* @options: its texts must outlive the file. */
TraceFile *tracefile_create(const Control *control, const TraceFileOptions *options,
			    GError **error);

/*
 * Renames the file to its final name and replaces an older trace, which is kept if tracing can't
 * begin. Must be called once, before the first event is written.
 */
gboolean tracefile_replace(TraceFile *file, GError **error);

/* Returns the writer of its sub-buffers, owned by the file. */
struct trace_writer *tracefile_writer(TraceFile *file);

/* Writes the tracer's settings, while the tracer runs. */
gboolean tracefile_settings(TraceFile *file, enum kmemtrace_phase phase, GError **error);

/*
 * Saves new stacks, the tracer's list of modules, and the functions of unloaded code, as the texts
 * "module_times" and "module_functions"; "modules" is /proc/modules. Also data for user stacks.
 */
gboolean tracefile_look(TraceFile *file, GError **error);

/* Writes the texts of the end, with the tracer off. */
gboolean tracefile_end(TraceFile *file, GError **error);

/*
 * Ends the file and continues in the next part, @path, while the tracer runs and a Drain writes:
 * each sub-buffer is in one of the two. Returns FALSE with an error; the file then continues as
 * before.
 */
gboolean tracefile_next_part(TraceFile *file, const char *path, GError **error);

/*
 * Closes and frees it. @complete: it ended normally. *@bytes is the size of all parts. Returns
 * FALSE with an error if it can't be written.
 */
gboolean tracefile_close(TraceFile *file, gboolean complete, guint64 *bytes, GError **error);

#endif
