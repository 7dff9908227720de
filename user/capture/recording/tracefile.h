/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace file during its recording: the texts of its start, periodic checks, and the texts of its
 * end. A Drain adds the sub-buffers. A recording may be split into parts, each a file that can be
 * read alone.
 */
#ifndef KMT_CAPTURE_RECORDING_TRACEFILE_H
#define KMT_CAPTURE_RECORDING_TRACEFILE_H

#include "capture/process/lookup.h"
#include "capture/recording/output.h"
#include "capture/source/control.h"

typedef struct TraceFile TraceFile;

typedef struct {
	Output output;
	const char *mode;     /* how it is recorded: "record", "continue", "flight", "extract" */
	char *const *command; /* what is recorded; NULL: all there is */
	gboolean whole;       /* it has its name only when it is whole; before, one with .part */
	gboolean late;        /* tracing began earlier: memory texts of the start would lie */
	Lookup *lookup;       /* for user stacks; NULL: the tracer gives none */
	gboolean stopped;     /* it does not run: mappings of processes cannot be read any more */
	guint part;           /* of several, from 1; 0: it is the only one */
} TraceFileOptions;

/* @options: its texts must outlive the file. */
TraceFile *tracefile_create(const Control *control, const TraceFileOptions *options,
			    GError **error);

/*
 * Gives the file its name, in place of an older trace: that stays if tracing can't begin. To be
 * called once, before the first event is written.
 */
gboolean tracefile_replace(TraceFile *file, GError **error);

/* Where the sub-buffers go. */
struct trace_writer *tracefile_writer(TraceFile *file);

/* The tracer's settings. Call it while the tracer runs. */
gboolean tracefile_settings(TraceFile *file, enum kmemtrace_phase phase, GError **error);

/*
 * Saves new stacks, the tracer's list of modules, and the functions of unloaded code, as the texts
 * "module_times" and "module_functions"; "modules" is /proc/modules. Also what user stacks need.
 */
gboolean tracefile_look(TraceFile *file, GError **error);

/* The texts of the end. The tracer is off. */
gboolean tracefile_end(TraceFile *file, GError **error);

/*
 * Ends the file and continues in the next part, @path, while the tracer runs and a Drain writes:
 * each sub-buffer is in one of the two. FALSE with an error; the file then continues as before.
 */
gboolean tracefile_next_part(TraceFile *file, const char *path, GError **error);

/*
 * Closes and frees. @complete: it ended in good order. @*bytes is its size, of all parts. FALSE
 * with an error if it can't be written.
 */
gboolean tracefile_close(TraceFile *file, gboolean complete, guint64 *bytes, GError **error);

#endif
