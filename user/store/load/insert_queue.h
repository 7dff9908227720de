/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes rows of integers in a separate thread, on a second processor, while the caller produces
 * more. The queue between them is bounded: memory does not grow if the disk is slow. Private to the
 * store.
 */
#ifndef KMT_STORE_LOAD_INSERT_QUEUE_H
#define KMT_STORE_LOAD_INSERT_QUEUE_H

#include "store/load/table_writer.h"

typedef struct InsertQueue InsertQueue;

/* Writes rows of @columns integers with @writer, which outlives the queue. Never NULL. */
InsertQueue *insert_queue_new(TableWriter *writer, guint columns);

/* Returns the memory of the next row, which the caller fills in before the next call. */
gint64 *insert_queue_row(InsertQueue *queue);

/*
 * Returns FALSE once a row could not be written: later rows are dropped, and the writer has the
 * error.
 */
gboolean insert_queue_is_fine(InsertQueue *queue);

/* Waits until all rows are written, or one failed. No rows may follow. */
void insert_queue_finish(InsertQueue *queue);

/* Stops, and drops waiting rows, unless it was finished. NULL is allowed. */
void insert_queue_free(InsertQueue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InsertQueue, insert_queue_free)

#endif
