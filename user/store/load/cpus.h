/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records written and lost by each CPU, from the tracer's final counters and from the streams.
 * Private to the store.
 */
#ifndef KMT_STORE_LOAD_CPUS_H
#define KMT_STORE_LOAD_CPUS_H

#include "store/load/snapshots.h"
#include "trace/event/merge.h"

/* Returns the hash key of a CPU and a type of event. */
gpointer cpus_count_key(guint32 cpu, guint event);

/*
 * Writes the tables cpu, event, event_count, loss and loss_window, and the tracer's own memory into
 * meta. Returns the number of records lost on all CPUs. @merge must be at its end; times are
 * relative to @start_ns, and @end_ns is the time of the last event. @reader has the mode of
 * recording. @left_out: the numbers of events that event_count leaves out, by cpus_count_key().
 */
guint64 cpus_write(const struct trace_merge *merge, Snapshots *snapshots,
		   const struct trace_reader *reader, GHashTable *left_out, guint64 start_ns,
		   guint64 end_ns, Db *db);

/* Returns the number of records without a stack, since the stack table is of another session. */
guint64 cpus_without_stacks(const struct trace_merge *merge);

#endif
