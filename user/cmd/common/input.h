/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The database of a file argument: a .db is opened; a .kmt is first loaded into a .db beside it,
 * unless an existing one was made of the file as it is now.
 */
#ifndef KMT_CMD_COMMON_INPUT_H
#define KMT_CMD_COMMON_INPUT_H

#include "store/store.h"

/*
 * "x.kmt" to "x.db", anything else gets ".db" behind it. The caller frees.
 */
char *input_db_path(const char *kmt_path);

/* TRUE if an argument that may be something else is a file: it exists, or has the name of one. */
gboolean input_is_file(const char *word);

/*
 * Loads, showing how far it is if stderr is a terminal. Ctrl-C, SIGTERM and SIGHUP end it; nothing
 * is left of it then, and that is the error. With sudo, the database is the user's.
 */
gboolean input_load(const char *const *paths, guint count, const char *db_path,
		    StoreLoadResult *result, GError **error);

/*
 * FALSE with an error that names a remedy if @path can't be a trace or a database: it is missing,
 * unreadable, a folder or empty.
 */
gboolean input_check(const char *path, GError **error);

/* The same, and FALSE where @path is a database, which @command can do nothing with. */
gboolean input_check_trace(const char *command, const char *path, GError **error);

/* The totals of the trace @kmt_path, as store_totals() gives them; in the same way. */
StoreDb *input_totals(const char *kmt_path, StoreLoadResult *result, GError **error);

/* Opens what @path is. */
StoreDb *input_open(const char *path, GError **error);

/*
 * The exit code of a command that loaded or printed all of the trace of @db; prints what is
 * missing. @db NULL: prints @error, which is freed.
 */
int input_judge(StoreDb *db, GError *error);

#endif
