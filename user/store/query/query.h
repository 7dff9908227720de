/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's own interface to its connections. Private to the store.
 */
#ifndef KMT_STORE_QUERY_QUERY_H
#define KMT_STORE_QUERY_QUERY_H

#include "store/store.h"

struct Lines;
struct sqlite3;

/* Takes over @handle, which is no longer written to. @path is its name in errors. */
StoreDb *query_adopt(struct sqlite3 *handle, const char *path);

/*
 * Calls @extend, which returns a result code of SQLite, to change the connection without the
 * restrictions of statements.
 */
gboolean query_extend(StoreDb *db, int (*extend)(struct sqlite3 *handle, gpointer data),
		      gpointer data, GError **error);

/*
 * Returns FALSE with the error @failure, or with the error that the file has changed: its pages may
 * be malformed for the moment, and its statements are interrupted.
 */
gboolean query_fail(const StoreDb *db, const char *failure, GError **error);

/* Sets the source of lines, owned by the connection; NULL: none. */
void query_set_lines(StoreDb *db, struct Lines *lines);
struct Lines *query_lines(const StoreDb *db);

/* Returns the connection, owned by @db. */
struct sqlite3 *query_handle(const StoreDb *db);

#endif
