/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_REPORT_QUERY_EXPLAIN_H
#define KMT_REPORT_QUERY_EXPLAIN_H

#include <stdio.h>

#include "store/store.h"

/*
 * Prints the statement @sql, the values of its parameters as comments (@params as of
 * store_query()), and SQLite's query plan. The statement does not run.
 */
gboolean explain_print(StoreDb *db, const char *sql, const char *const *params, FILE *out,
		       GError **error);

/* The same without a database, and so without the plan. */
void explain_print_text(const char *sql, const char *const *params, FILE *out);

#endif
