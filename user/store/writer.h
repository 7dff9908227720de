/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing side of the database: one transaction into a new file, prepared statements, no indexes
 * until the end. Private to the store.
 */
#ifndef KMT_STORE_WRITER_H
#define KMT_STORE_WRITER_H

#include "store/store.h"

#define STORE_APPLICATION_ID	0x6b6d7401	/* "kmt" and a one: PRAGMA application_id */
#define STORE_VERSION		1		/* PRAGMA user_version */

/* One statement each, in sql/ under the name in writer.c. */
typedef enum {
	STORE_INSERT_ALLOC,
	STORE_INSERT_BUDDYINFO,
	STORE_INSERT_CACHE,
	STORE_INSERT_CPU,
	STORE_INSERT_EVENT_COUNT,
	STORE_INSERT_EVENT_NAME,
	STORE_INSERT_FAILED,
	STORE_INSERT_FRAME,
	STORE_INSERT_GFP_NAME,
	STORE_INSERT_LOSS,
	STORE_INSERT_LOSS_WINDOW,
	STORE_INSERT_MEMINFO,
	STORE_INSERT_META,
	STORE_INSERT_MIGRATETYPE_NAME,
	STORE_INSERT_ORIGIN,
	STORE_INSERT_RELEASE,
	STORE_INSERT_SLABINFO,
	STORE_INSERT_STACK,
	STORE_INSERT_SYMBOL,
	STORE_INSERT_TASK,
	STORE_INSERT_UNMATCHED,
	STORE_INSERT_VMSTAT,
	STORE_INSERTS
} StoreInsert;

typedef struct StoreWriter StoreWriter;

/* Creates the database at @path, which must not exist, with its tables. */
StoreWriter *store_writer_new(const char *path, GError **error);

/*
 * Inserts a row. @types has a letter for each column: i (gint64), s (const char *, NULL for NULL),
 * n (NULL; takes no argument). The first error is kept for store_writer_finish(); later rows are
 * ignored then.
 */
void store_writer_row(StoreWriter *writer, StoreInsert insert, const char *types, ...);

/* The same from @count integers, for the rows that are many. G_MININT64 stands for NULL. */
void store_writer_ints(StoreWriter *writer, StoreInsert insert, const gint64 *values, int count);

/* Indexes, views, commit. FALSE with the first error of all. Frees the writer in any case. */
gboolean store_writer_finish(StoreWriter *writer, GError **error);

/* Gives up; the file is incomplete. */
void store_writer_free(StoreWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreWriter, store_writer_free)

/* The text of sql/@name.sql, or NULL. */
GBytes *store_sql(const char *name);

#endif
