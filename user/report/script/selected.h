/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the events of the allocations that a database is restricted to: the allocation itself,
 * its frees, kfree_rcu(), resizes and migrations, by any thread. The database must be of the same
 * trace.
 */
#ifndef KMT_REPORT_SCRIPT_SELECTED_H
#define KMT_REPORT_SCRIPT_SELECTED_H

#include "store/store.h"
#include "trace/event/event.h"

typedef struct SelectedEvents SelectedEvents;

/* @db must outlive it. NULL with an error. Memory is proportional to live allocations. */
SelectedEvents *selected_events_new(StoreDb *db, GError **error);
void selected_events_free(SelectedEvents *selected); /* NULL is allowed */

/* To be called for each event, in time order. @time_ns as in the database. */
gboolean selected_events_has(SelectedEvents *selected, const struct trace_event *event,
			     gint64 time_ns);

/* To be called after the last event. FALSE with an error if the database could not be read. */
gboolean selected_events_done(SelectedEvents *selected, GError **error);

#endif
