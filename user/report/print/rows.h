/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints rows: the one place that knows how a value looks, for every report and query. How a value
 * looks in a report follows from its column's name, so one SQL statement specifies text and JSON:
 *
 *   …bytes   a size      "1.5M"
 *   …_ns     a time      "12.3ms"
 *   …_pct    a share     "4.2%"
 *   other integers       "1,234"
 *
 * One of the first three that is NULL, which is not known, is "-". An optional column
 * (store_rows_is_optional()) is left out where nothing is in it.
 *
 * Queries, CSV and JSON show the plain values. Tables fit the terminal, see table.h.
 */
#ifndef KMT_REPORT_PRINT_ROWS_H
#define KMT_REPORT_PRINT_ROWS_H

#include <stdio.h>

#include "store/store.h"

typedef enum {
	ROWS_TABLE,  /* aligned columns under their names, plain values */
	ROWS_REPORT, /* the same with values made readable */
	ROWS_CSV,    /* with a line of names */
	ROWS_JSON,   /* an array of objects */
} RowsFormat;

/* Prints all that is left of @rows to @out. *@count (may be NULL): the number of rows. */
gboolean rows_print(StoreRows *rows, RowsFormat format, FILE *out, guint64 *count, GError **error);

#endif
