/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills an empty table of a database with rows of integers, with row ids from 1 on. Rows in order
 * need no search in a B-tree: their pages are appended to the file, in a tenth of the time that
 * SQLite's inserts take. Private to the store.
 */
#ifndef KMT_STORE_LOAD_TABLE_WRITER_H
#define KMT_STORE_LOAD_TABLE_WRITER_H

#include <glib.h>

#define TABLE_WRITER_COLUMNS 14 /* at most, so that a row has no more than 127 bytes */

typedef struct TableWriter TableWriter;

/*
 * @fd: a database that is not open elsewhere. @root: the number of the table's root page. Never
 * NULL: after an error, all calls return it.
 */
TableWriter *table_writer_new(int fd, guint32 root, guint columns);
void table_writer_free(TableWriter *writer); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TableWriter, table_writer_free)

/* Adds a row: a value for each column; DB_NULL is NULL. Returns 0 or an errno. */
int table_writer_add(TableWriter *writer, const gint64 *values);

/*
 * Writes the remaining pages. Until then the file is not a valid database. Returns 0 or an errno.
 */
int table_writer_finish(TableWriter *writer);

#endif
