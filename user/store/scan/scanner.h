/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_scan() for a bare connection, as the extension has it. Private to the store.
 */
#ifndef KMT_STORE_SCAN_SCANNER_H
#define KMT_STORE_SCAN_SCANNER_H

#include <glib.h>

#define SCAN_WORKERS 2          /* how many read side by side */
#define SCAN_NULL    G_MININT64 /* a value that is NULL */
#define SCAN_COLUMNS 10         /* of a statement, at most */

/* One row. @data is the worker's own; two workers run at the same time. */
typedef void (*ScanFunc)(gpointer data, const gint64 *values);

struct sqlite3;

/*
 * As store_scan(), of what the connection @of has of its file. NULL, or what is wrong, for
 * g_free(). @params may be NULL.
 */
char *scanner_run(struct sqlite3 *of, const char *name, const char *const *params, ScanFunc func,
		  gpointer const workers[SCAN_WORKERS]);

#endif
