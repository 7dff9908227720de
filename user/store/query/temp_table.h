/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary tables of a connection, with rows made in C: a statement can then add names to sums of
 * a scan, and they are printed like all other rows.
 */
#ifndef KMT_STORE_QUERY_TEMP_TABLE_H
#define KMT_STORE_QUERY_TEMP_TABLE_H

#include "store/store.h"

#define TEMP_TABLE_NULL G_MININT64 /* NULL among integers */

typedef struct TempTable TempTable;

/*
 * @columns: names separated by ", ", followed by OPTIONAL if store_rows_is_optional() is to return
 * TRUE. Both texts are trusted: they are not quoted.
 */
TempTable *temp_table_new(const char *name, const char *columns);
void temp_table_free(TempTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TempTable, temp_table_free)

/* Add values row by row: integers; a real; a text, which is copied; a whole row. */
#define TEMP_TABLE_ADD(table, ...)                                                                 \
	temp_table_add((table), (const gint64[]){ __VA_ARGS__ },                                   \
		       sizeof((const gint64[]){ __VA_ARGS__ }) / sizeof(gint64))
void temp_table_add(TempTable *table, const gint64 *values, gsize count);
void temp_table_add_real(TempTable *table, double value);
void temp_table_add_text(TempTable *table, const char *text);
void temp_table_add_row(TempTable *table, StoreRows *rows);

/*
 * Creates the table, and replaces one of the same name, which no unfinished statement may be
 * reading.
 */
gboolean temp_table_create(const TempTable *table, StoreDb *db, GError **error);

/* Runs the statement @name, which creates a view of such tables if needed. */
gboolean temp_view_create(StoreDb *db, const char *name, GError **error);

#endif
