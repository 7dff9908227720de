/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_scan() for a connection, which the extension has too. Private to the store.
 */
#ifndef KMT_STORE_SCANNER_H
#define KMT_STORE_SCANNER_H

#include "store/scan.h"

struct sqlite3;

/*
 * As store_scan(), of what the connection @of has of its file. NULL, or what is wrong, for
 * g_free(). @params may be NULL.
 */
char *scanner_run(struct sqlite3 *of, const char *name, const char *const *params, ScanFunc func,
		  gpointer const workers[SCAN_WORKERS]);

#endif
