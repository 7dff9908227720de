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

/* In nanoseconds; @to_ns isn't part of it, but that a time of no length has one. */
void losstimes_add(LossTimes *times, guint64 from_ns, guint64 to_ns);

/* Adds what @merge, which is at its end, knows of. */
void losstimes_add_merge(LossTimes *times, const struct trace_merge *merge);

/* All were added: to be called before a question. */
void losstimes_sort(LossTimes *times);

/* Whether anything was lost between two times. */
gboolean losstimes_any(const LossTimes *times, guint64 from_ns, guint64 to_ns);

/* How often until @time_ns it began or ended that events were lost. */
guint losstimes_edges(const LossTimes *times, guint64 time_ns);

#endif
