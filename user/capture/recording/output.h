/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The destination of a trace: a file, standard output, or a receiver on another machine.
 */
#ifndef KMT_CAPTURE_RECORDING_OUTPUT_H
#define KMT_CAPTURE_RECORDING_OUTPUT_H

#include <glib.h>

#include "base/outfile.h"
#include "capture/process/signals.h"
#include "trace/file/writer.h"

#define OUTPUT_STDOUT "-"
#define OUTPUT_PORT   7077 /* default port of a receiver */

typedef struct {
	const char *path;       /* of the file, or OUTPUT_STDOUT; NULL with a receiver */
	gboolean is_named;      /* the user has given the path */
	gboolean is_part;       /* outfile_finish() renames the file */
	const char *receiver;   /* "HOST" or "HOST:PORT"; NULL: none */
	int level;              /* compression level, 1 to 19; 0: none */
	guint64 rotate;         /* bytes of a part; 0: a single file */
	guint keep;             /* parts that are kept; 0: all */
	const Signals *signals; /* these end all waiting; NULL: none */
} Output;

/*
 * Begins a trace, and reports errors of opening and writing. A receiver that accepts nothing for
 * ten seconds counts as dead. For a file, *@beside is its temporary name until outfile_finish()
 * renames it to that of @output, so that an older trace is kept if this one fails. @beside NULL: no
 * temporary name.
 */
struct trace_writer *output_open(const Output *output, char **beside, GError **error);

/* The kind of output file for traces, see outfile.h. */
extern const OutFileKind output_kind;

/*
 * Begins a trace file with the temporary name *@beside, for g_free(). outfile_finish() renames it
 * to @path, and outfile_drop() removes it. @swap: its numbers are in the other byte order. Returns
 * NULL, without a file, on failure.
 */
struct trace_writer *output_begin(const char *path, gboolean swap, char **beside, GError **error);

#endif
