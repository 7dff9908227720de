/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the database of a file argument: a .db is opened; a .kmt is first loaded into a .db beside
 * it, unless that .db was made from the same file.
 */
#ifndef KMT_CMD_COMMON_INPUT_H
#define KMT_CMD_COMMON_INPUT_H

#include "store/store.h"

/* Returns "x.db" for "x.kmt"; other names get ".db" appended. The caller frees. */
char *input_db_path(const char *kmt_path);

/* Returns TRUE if an argument is a file: it exists, or has the name of one. */
gboolean input_is_file(const char *word);

/*
 * Loads traces, with progress if stderr is a terminal. Ctrl-C, SIGTERM and SIGHUP cancel it with an
 * error, and nothing is left behind. With sudo, the database is the user's.
 */
gboolean input_load(const char *const *paths, guint count, const char *db_path,
		    StoreLoadResult *result, GError **error);

/*
 * Returns FALSE with an error that names a remedy if @path can't be a trace or a database: it is
 * missing, unreadable, a folder or empty.
 */
gboolean input_check(const char *path, GError **error);

/* The same, and FALSE if @path is a database, which @command cannot use. */
gboolean input_check_trace(const char *command, const char *path, GError **error);

/* Returns the totals of the trace @kmt_path, as store_totals() does, with progress as above. */
StoreDb *input_totals(const char *kmt_path, StoreLoadResult *result, GError **error);

/* Opens a trace or database. */
StoreDb *input_open(const char *path, GError **error);

/*
 * Returns the exit code of a command that loaded or printed the trace of @db completely, and prints
 * what is missing. @db NULL: prints and frees @error.
 */
int input_judge(StoreDb *db, GError *error);

#endif
