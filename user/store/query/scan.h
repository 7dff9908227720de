/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scans all lifetimes in parallel: many times faster than a statement that sorts them. */
#ifndef KMT_STORE_QUERY_SCAN_H
#define KMT_STORE_QUERY_SCAN_H

#include "store/scan/lifetime.h"
#include "store/scan/scanner.h"
#include "store/store.h"

/*
 * Calls @func for each row of store/sql/@name.sql. The statement calls scan() with integers of each
 * row, and has the parameters :first and :last (rows of lifetime) in addition to @params. @workers:
 * an array of SCAN_WORKERS elements of @size bytes. Worker i gets the i-th, and the i-th part of
 * the rows, in order.
 */
gboolean store_scan(StoreDb *db, const char *name, const char *const *params, ScanFunc func,
		    gpointer workers, gsize size, GError **error);

#endif
