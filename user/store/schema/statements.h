/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statements in store/sql. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_STATEMENTS_H
#define KMT_STORE_SCHEMA_STATEMENTS_H

#include <gio/gio.h>

struct sqlite3;

/*
 * Opens the database @path, a name or descriptor_path(), read-only and without a lock, for one
 * thread at a time: store_open() holds the lock (filelock.h). Returns a result code of SQLite.
 * Opens and creates no journal or WAL beside it.
 */
int statements_open(const char *path, struct sqlite3 **handle);

/* Returns the text of store/sql/@name.sql; NULL: none. The caller unrefs it. */
GBytes *db_sql(const char *name);

/* Returns views.sql: the views of the file, or @temporary ones of a connection. For g_free(). */
char *db_views_sql(gboolean temporary);

/* Returns the names that begin with @prefix, in order. The caller unrefs them. */
GPtrArray *db_sql_names(const char *prefix);

#endif
