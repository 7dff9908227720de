/* SPDX-License-Identifier: GPL-2.0-or-later */
/* store_scan() for a bare connection, as in the extension. Private to the store. */
#ifndef KMT_STORE_SCAN_SCANNER_H
#define KMT_STORE_SCAN_SCANNER_H

#include <glib.h>

#define SCAN_WORKERS 2          /* number of parallel workers */
#define SCAN_NULL    G_MININT64 /* NULL among values */
#define SCAN_COLUMNS 10         /* of a statement, at most */

/* Called for one row. @data is the worker's own; workers run in parallel. */
typedef void (*ScanFunc)(gpointer data, const gint64 *values);

struct sqlite3;

/*
 * As store_scan(), for the data of the connection @of. Returns NULL, or an error text for g_free().
 * @params may be NULL.
 */
char *scanner_run(struct sqlite3 *of, const char *name, const char *const *params, ScanFunc func,
		  gpointer const workers[SCAN_WORKERS]);

/* Makes all workers of the process fail soon, present and future ones. For any thread. */
void scanner_interrupt(void);

#endif
