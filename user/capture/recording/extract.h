/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the events of a tracer that ran without a recorder.
 */
#ifndef KMT_CAPTURE_RECORDING_EXTRACT_H
#define KMT_CAPTURE_RECORDING_EXTRACT_H

#include "capture/recording/output.h"
#include "capture/tracer/stats.h"

typedef struct {
	const char *source; /* as of source_open_kept() */
	Output output;
	gboolean keep_running; /* restart the tracer if it ran, with its stacks */
} ExtractOptions;

typedef struct {
	CaptureStats stats; /* lost: since the last collection */
	guint64 events;     /* in the file */
	guint64 bytes;      /* of the file */
	guint64 pause_ns;   /* keep_running: how long the tracer was off */
} ExtractResult;

/*
 * Stops the tracer if it runs, and writes its events and everything needed to read them into a
 * file. Afterwards the tracer is empty, or runs again. After an error it continues as before, and
 * keeps the events that were not read.
 */
gboolean extract_write(const ExtractOptions *options, ExtractResult *result, GError **error);

#endif
