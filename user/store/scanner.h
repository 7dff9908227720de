/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_scan() for a file, which the extension has too. Private to the store.
 */
#ifndef KMT_STORE_SCANNER_H
#define KMT_STORE_SCANNER_H

#include "store/scan.h"

/* As store_scan(). NULL, or what is wrong, for g_free(). @params may be NULL. */
char *scanner_run(const char *path, const char *name, const char *const *params, ScanFunc func,
		  gpointer const workers[SCAN_WORKERS]);

#endif
