/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all lifetimes on several processors: what one statement that sorts them would take many
 * times as long for.
 */
#ifndef KMT_STORE_SCAN_H
#define KMT_STORE_SCAN_H

#include "store/store.h"

#define SCAN_WORKERS 2		/* how many read side by side */
#define SCAN_NULL    G_MININT64 /* a value that is NULL */
#define SCAN_COLUMNS 10		/* of a statement, at most */

/* One row. @data is the worker's own; two workers run at the same time. */
typedef void (*ScanFunc)(gpointer data, const gint64 *values);

/*
 * Gives each row of store/sql/@name.sql to @func. The statement calls scan() with what it has of
 * each row, integers alone, and has the parameters :first and :last (rows of lifetime) beside
 * @params. Worker i gets workers[i], and rows from i / SCAN_WORKERS of all
 * on, in order.
 */
gboolean store_scan(StoreDb *db, const char *name, const char *const *params, ScanFunc func,
		    gpointer const workers[SCAN_WORKERS], GError **error);

#endif
