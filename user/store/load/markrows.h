/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace's marks as rows. Private to the store.
 */
#ifndef KMT_STORE_LOAD_MARKROWS_H
#define KMT_STORE_LOAD_MARKROWS_H

#include "analysis/pairing/tasks.h"
#include "store/schema/db.h"

typedef struct MarkRows MarkRows;

MarkRows *markrows_new(Tasks *tasks); /* @tasks must outlive it */
void markrows_free(MarkRows *rows);   /* NULL is allowed */

/* Must get all events in order. Returns TRUE for an event of a mark. */
gboolean markrows_take(MarkRows *rows, const struct trace_event *event);

/* Writes the table mark, after the last event. @start_ns: of the trace's first event. */
void markrows_write(MarkRows *rows, guint64 start_ns, Db *db);

#endif
