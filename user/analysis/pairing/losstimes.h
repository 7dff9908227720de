/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time windows in which events of a trace were lost, on any CPU.
 */
#ifndef KMT_ANALYSIS_PAIRING_LOSSTIMES_H
#define KMT_ANALYSIS_PAIRING_LOSSTIMES_H

#include <glib.h>

#include "trace/event/merge.h"

typedef struct LossTimes LossTimes;

LossTimes *losstimes_new(void);
void losstimes_free(LossTimes *times);

/* Adds a window in nanoseconds, without @to_ns itself, except for a window of length 0. */
void losstimes_add(LossTimes *times, guint64 from_ns, guint64 to_ns);

/* Adds the losses of @merge, which is at its end, and of its @reader. */
void losstimes_add_merge(LossTimes *times, const struct trace_merge *merge,
			 struct trace_reader *reader);

/* To be called after all windows were added, before a query. */
void losstimes_sort(LossTimes *times);

/* Returns whether anything was lost between two times. */
gboolean losstimes_any(const LossTimes *times, guint64 from_ns, guint64 to_ns);

/* Counts the beginnings and ends of losses until @time_ns. */
guint losstimes_edges(const LossTimes *times, guint64 time_ns);

#endif
