/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's current counters, per CPU and in total, and its memory.
 */
#ifndef KMT_CAPTURE_TRACER_STATS_H
#define KMT_CAPTURE_TRACER_STATS_H

#include "capture/tracer/control.h"
#include "kmemtrace_abi.h"

typedef struct {
	guint cpu;                       /* no meaning in a sum */
	guint64 written;                 /* records */
	guint64 ignored;                 /* frees of NULL and the like */
	guint64 overwritten;             /* records overwritten by newer ones */
	guint64 lost[KMEMTRACE_LOSS_NR]; /* by enum kmemtrace_loss */
	guint64 unbuffered; /* part of BUFFER_FULL: the CPU has no buffer, as it came too late */
} CaptureStats;

/* The sum over the CPUs. */
gboolean stats_read(const Control *control, CaptureStats *stats, GError **error);

/* One for each CPU with a buffer, in the order of the text: CaptureStats. NULL with an error. */
GArray *stats_read_cpus(const Control *control, GError **error);

/* Records that are missing: a detail that a record lost is not counted. */
guint64 stats_lost_records(const CaptureStats *stats);

/* Memory of the tracer, by use. */
typedef struct {
	char *name;
	guint64 bytes;
} StatsMemory;

/* All of it, in the order of the text: StatsMemory. NULL with an error. */
GArray *stats_read_memories(const Control *control, GError **error);

/* Mappings of files for which the tracer had no room; 0 also if that can't be read. */
guint64 stats_read_refused(const Control *control);

/* The counter of that name; 0 if none. */
gboolean stats_read_memory(const Control *control, const char *name, guint64 *bytes,
			   GError **error);

#endif
