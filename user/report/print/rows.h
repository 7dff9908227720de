/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints rows: the one place that formats values, for every report and query. The format in a
 * report follows from the column's name, so one SQL statement defines text and JSON:
 *
 *   …bytes   a size      "1.5M"
 *   …_ns     a time      "12.3ms"
 *   …_pct    a share     "4.2%"
 *   other integers       "1,234"
 *
 * NULL, an unknown value, is "-" in one of the first three. An optional column
 * (store_rows_is_optional()) without values is left out.
 *
 * Queries, CSV and JSON print plain values. Tables fit the terminal, see table.h.
 */
#ifndef KMT_REPORT_PRINT_ROWS_H
#define KMT_REPORT_PRINT_ROWS_H

#include <stdio.h>

#include "store/store.h"

typedef enum {
	ROWS_TABLE,  /* aligned columns under their names, plain values */
	ROWS_REPORT, /* the same with formatted values */
	ROWS_CSV,    /* with a header line */
	ROWS_JSON,   /* an array of objects */
} RowsFormat;

/* Prints the remaining @rows to @out. *@count (may be NULL): their number. */
gboolean rows_print(StoreRows *rows, RowsFormat format, FILE *out, guint64 *count, GError **error);

#endif
