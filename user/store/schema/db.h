/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a new database. Private to the store.
 *
 * Errors are sticky: the first one is kept and later calls do nothing, so a load checks only
 * occasionally, and at the end.
 */
#ifndef KMT_STORE_SCHEMA_DB_H
#define KMT_STORE_SCHEMA_DB_H

#include "store/schema/statements.h"

#define DB_APPLICATION_ID 0x4b4d5452 /* "KMTR" */
#define DB_VERSION        22         /* user_version; schema.rst has it too */
#define DB_NULL           G_MININT64 /* NULL among integers */

typedef struct Db Db;
typedef struct Insert Insert; /* one prepared statement; owned by its Db */

/*
 * Creates a database in the empty file @fd, open for reading and writing, with its tables, and
 * begins the transaction. @shown is its name in messages. @fd remains the caller's, and open until
 * db_free(); -1: the database is in memory.
 */
Db *db_create(const char *shown, int fd, GError **error);
void db_free(Db *db); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Db, db_free)

/*
 * Fails once the texts of all rows have more than @bytes bytes: few names, each in many rows, would
 * make a huge database of a small trace.
 */
void db_limit_texts(Db *db, guint64 bytes);
guint64 db_texts_left(const Db *db); /* bytes until then */

/* Prepares the insertion of rows into @table. */
Insert *db_insert(Db *db, const char *table);

/* Inserts a row of @count integers. */
void insert_ints(Insert *insert, const gint64 *values, guint count);

/*
 * Inserts a row. @types has a letter for each column: i gint64 (DB_NULL is NULL), u guint64 as 64
 * bits, s const char * (NULL is NULL; invalid UTF-8 is replaced).
 */
void insert_row(Insert *insert, const char *types, ...);

/*
 * Commits, and lends the file to the caller until db_take_back(); no other call is allowed
 * meanwhile. Returns the root page of @table, which must be empty.
 */
guint32 db_lend_file(Db *db, const char *table);

/* Continues after db_lend_file(). @error: the errno of the caller's error; 0: none. */
void db_take_back(Db *db, int error);

/* Frees @db and returns its connection, which the caller closes: the database remains readable. */
struct sqlite3 *db_release(Db *db);

/*
 * Calls @func with @data after each 10,000 steps of SQLite, under a millisecond, until @func is
 * NULL. If it does not return 0, this statement and all later ones fail.
 */
void db_stop_when(Db *db, int (*func)(void *data), void *data);

/* Creates views and indexes, and commits. Returns FALSE with the first error. */
gboolean db_finish(Db *db, GError **error);

#endif
