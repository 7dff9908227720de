/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inserts rows of integers in a thread of its own, so that it takes a second processor while the
 * caller makes more of them. A bounded queue lies between: memory doesn't grow if the disk is slow.
 * Private to the store.
 *
 * From feed_new() to feed_finish() or feed_free() the database is the thread's alone.
 */
#ifndef KMT_STORE_FEED_H
#define KMT_STORE_FEED_H

#include "store/db.h"

typedef struct Feed Feed;

/* Rows of @columns integers for @insert, which outlives it. Never NULL. */
Feed *feed_new(Db *db, Insert *insert, guint columns);

/* Place for the next row, which the caller fills in before anything else is called. */
gint64 *feed_row(Feed *feed);

/* FALSE once an insert has failed: what is fed from then on is dropped, and the database tells. */
gboolean feed_is_fine(Feed *feed);

/* Waits until all is inserted, or something failed. No more rows then. */
void feed_finish(Feed *feed);

/* Stops without what still waits, unless it was finished. NULL is allowed. */
void feed_free(Feed *feed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Feed, feed_free)

#endif
