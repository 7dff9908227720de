/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is missing behind the last sub-buffer of a CPU, by the tracer's final counters. */
#ifndef KMT_ANALYSIS_PAIRING_STREAM_END_H
#define KMT_ANALYSIS_PAIRING_STREAM_END_H

#include "analysis/snapshot.h"
#include "trace/event/stream.h"

typedef struct {
	guint reason;    /* TRACE_LOSS_MISSING or TRACE_LOSS_SHORT */
	guint64 count;   /* of sub-buffers or records; 0: none are missing */
	guint64 surplus; /* records that the counters do not have */
} StreamEnd;

/*
 * @seen: all zeros for a CPU without sub-buffers. @before: its counters at the start, if it may
 * have had records before; NULL: it had none.
 */
StreamEnd stream_end(const struct trace_stream_stats *seen, const StatsLine *stats,
		     const StatsLine *before);

#endif
