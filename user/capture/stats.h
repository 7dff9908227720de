/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracer's counters of this moment, summed over the CPUs.
 */
#ifndef KMT_CAPTURE_STATS_H
#define KMT_CAPTURE_STATS_H

#include "capture/control.h"
#include "kmemtrace_abi.h"

typedef struct {
	guint64 written;			/* records */
	guint64 lost[KMEMTRACE_LOSS_NR];	/* by enum kmemtrace_loss */
} CaptureStats;

gboolean stats_read(const Control *control, CaptureStats *stats, GError **error);

/* Records that are missing: a detail that a record lost is not counted. */
guint64 stats_lost_records(const CaptureStats *stats);

#endif
