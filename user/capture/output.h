/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a trace goes: a file, standard output, or a receiver on another machine.
 */
#ifndef KMT_CAPTURE_OUTPUT_H
#define KMT_CAPTURE_OUTPUT_H

#include <glib.h>

#include "base/owner.h"
#include "trace/writer.h"

#define OUTPUT_STDOUT	"-"
#define OUTPUT_PORT	7077	/* of a receiver, unless another one is given */

typedef struct {
	const char *path;	/* of the file, or OUTPUT_STDOUT; NULL if there is a receiver */
	const char *receiver;	/* "HOST" or "HOST:PORT"; NULL: none */
	int level;		/* how hard it is packed, 1 to 19; 0: not at all */
	guint64 rotate;		/* bytes of a part; 0: all is in one file */
	guint keep;		/* parts that are kept; 0: all */
} Output;

/*
 * Begins a trace: what can't be opened or written is found out here. A receiver that takes nothing
 * for ten seconds counts as gone from then on.
 */
struct trace_writer *output_open(const Output *output, GError **error);

/*
 * owner_begin() for the trace file @path of @output, which is begun next. @replaces: it takes
 * the place of an older one.
 */
void output_expect(const Output *output, const char *path, gboolean replaces, Owner *owner);

/* owner_end() for a trace file that was closed. */
void output_give(Owner *owner);

#endif
