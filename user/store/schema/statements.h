/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The statements in store/sql. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_STATEMENTS_H
#define KMT_STORE_SCHEMA_STATEMENTS_H

#include <gio/gio.h>

struct sqlite3;

/*
 * Opens the database @path, a name or descriptor_path(), which nobody changes, to be read by one
 * thread at a time. Returns a result code of SQLite. No file beside it, a journal or a WAL, is
 * opened or made.
 */
int statements_open(const char *path, struct sqlite3 **handle);

/* The text of store/sql/@name.sql; NULL if there is none. The caller unrefs. */
GBytes *db_sql(const char *name);

/* views.sql: the views of the file, or @temporary ones of a connection alone. For g_free(). */
char *db_views_sql(gboolean temporary);

/* The names, in order, of those that begin with @prefix. The caller unrefs. */
GPtrArray *db_sql_names(const char *prefix);

#endif
