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
#define OUTPUT_PORT   7077 /* of a receiver, unless another one is given */

typedef struct {
	const char *path;       /* of the file, or OUTPUT_STDOUT; NULL if there is a receiver */
	gboolean is_part;       /* outfile_finish() gives the file another name */
	const char *receiver;   /* "HOST" or "HOST:PORT"; NULL: none */
	int level;              /* compression level, 1 to 19; 0: none */
	guint64 rotate;         /* bytes of a part; 0: all is in one file */
	guint keep;             /* parts that are kept; 0: all */
	const Signals *signals; /* once they hurry nothing is waited for; NULL: it is */
} Output;

/*
 * Begins a trace, and reports errors of opening and writing. A receiver that accepts nothing for
 * ten seconds then counts as dead. If it is a file, *@beside is its name until outfile_finish()
 * gives it that of @output, so that an older trace stays if nothing comes of this one; @beside
 * NULL: it has it at once.
 */
struct trace_writer *output_open(const Output *output, char **beside, GError **error);

/* A trace, for outfile.h. */
extern const OutFileKind output_kind;

/*
 * Begins a trace file *@beside, which outfile_finish() makes the file @path, and outfile_drop()
 * removes; the name is for g_free(). @swap: its numbers are in the other byte order than this
 * machine's. NULL, and no file, if that fails.
 */
struct trace_writer *output_begin(const char *path, gboolean swap, char **beside, GError **error);

#endif
