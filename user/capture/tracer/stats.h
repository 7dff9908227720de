/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's current counters, per CPU and in total, and its memory.
 */
#ifndef KMT_CAPTURE_TRACER_STATS_H
#define KMT_CAPTURE_TRACER_STATS_H

#include "capture/tracer/control.h"
#include "kmemtrace_abi.h"

typedef struct {
	guint cpu;           /* no meaning in a sum */
	guint64 written;     /* records */
	guint64 ignored;     /* frees of NULL and the like */
	guint64 overwritten; /* records overwritten by newer ones before they were read */
	guint64 consumed;    /* sub-buffers that were read, or dropped */
	guint64 lost[KMEMTRACE_LOSS_NR]; /* by enum kmemtrace_loss */
	guint64 unbuffered; /* part of BUFFER_FULL: the CPU has no buffer, as it came too late */
	gboolean frozen;    /* an oops of the kernel stopped the tracer; only in a sum */
} CaptureStats;

/* Reads the sum over the CPUs. */
gboolean stats_read(const Control *control, CaptureStats *stats, GError **error);

/* Returns CaptureStats for each CPU with a buffer, in the order of the text. NULL with an error. */
GArray *stats_read_cpus(const Control *control, GError **error);

/* Returns the number of missing records. Details that a record lacks are not counted. */
guint64 stats_lost_records(const CaptureStats *stats);

/* Returns TRUE if records are missing, also since an oops of the kernel stopped the tracer. */
gboolean stats_lack_records(const CaptureStats *stats);

/* Returns TRUE if an oops of the kernel stopped the tracer; FALSE also if that can't be read. */
gboolean stats_are_frozen(const Control *control);

/* Memory of the tracer, by use. */
typedef struct {
	char *name;
	guint64 bytes;
} StatsMemory;

/* Returns StatsMemory for each use, in the order of the text. NULL with an error. */
GArray *stats_read_memories(const Control *control, GError **error);

/* Returns how many mappings of files the tracer had no room for; 0 also if that can't be read. */
guint64 stats_read_refused(const Control *control);

/* Reads the counter of that name; 0: none. */
gboolean stats_read_memory(const Control *control, const char *name, guint64 *bytes,
			   GError **error);

#endif
