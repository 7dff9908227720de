/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's own interface to its connections. Private to the store.
 */
#ifndef KMT_STORE_QUERY_QUERY_H
#define KMT_STORE_QUERY_QUERY_H

#include "store/store.h"

struct Lines;
struct sqlite3;

/* Takes @handle over, which nobody writes to any more. @path names it in errors. */
StoreDb *query_adopt(struct sqlite3 *handle, const char *path);

/*
 * Lets @extend, which returns a result code of SQLite, add to the connection what no statement of a
 * user may.
 */
gboolean query_extend(StoreDb *db, int (*extend)(struct sqlite3 *handle, gpointer data),
		      gpointer data, GError **error);

/* What finds source lines, which the connection owns; NULL: nothing. */
void query_set_lines(StoreDb *db, struct Lines *lines);
struct Lines *query_lines(const StoreDb *db);

/* The connection of @db, which owns it. */
struct sqlite3 *query_handle(const StoreDb *db);

#endif
