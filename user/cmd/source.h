/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The database behind a file argument: a .db is opened; a .kmt is loaded into a .db beside it
 * first, unless one is there that is not older.
 */
#ifndef KMT_CMD_SOURCE_H
#define KMT_CMD_SOURCE_H

#include "store/store.h"

/*
 * "x.kmt" to "x.db", anything else gets ".db" behind it. The caller frees.
 */
char *source_db_path(const char *kmt_path);

/*
 * Loads, showing how far it is if stderr is a terminal. Ctrl-C, SIGTERM and SIGHUP end it; nothing
 * is left of it then, and that is the error.
 */
gboolean source_load(const char *kmt_path, const char *db_path, StoreLoadResult *result,
		     GError **error);

/* The totals of the trace @kmt_path, as store_totals() gives them; the same. */
StoreDb *source_totals(const char *kmt_path, StoreLoadResult *result, GError **error);

/* Opens what @path is. */
StoreDb *source_open(const char *path, GError **error);

/*
 * Finds the trace of a command whose file may be left out: *@path, else kmemtrace.kmt if there is
 * one, else kmemtrace.db.
 */
const char *source_default(const char *path);

#endif
