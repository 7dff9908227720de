/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs statements and named queries and prints their results: from an argument, a file, or the
 * shell.
 */
#ifndef KMT_REPORT_QUERY_QUERY_RUN_H
#define KMT_REPORT_QUERY_QUERY_RUN_H

#include <stdio.h>

#include "report/print/rows.h"
#include "store/query/named.h"
#include "store/store.h"

typedef struct {
	StoreDb *db;
	const GPtrArray *queries; /* of NamedQuery */
	RowsFormat format;        /* of statements; named queries: formatted tables */
	gboolean explain;         /* print statements and their plans instead of running them */
	FILE *out;
} QueryRun;

/* Runs one statement. */
gboolean query_run_statement(const QueryRun *ask, const char *sql, GError **error);

/* Runs all statements in @sql. Adds the number of completed ones to *@count. */
gboolean query_run_statements(const QueryRun *ask, const char *sql, guint *count, GError **error);

/* Runs a named query. @values: option to value, for those not at their default. */
gboolean query_run_named(const QueryRun *ask, const NamedQuery *query, GHashTable *values,
			 GError **error);

/* Prints the named queries, with their options and defaults. */
void query_run_list(const GPtrArray *queries, FILE *out);

/* The same as an array of objects. */
void query_run_list_json(const GPtrArray *queries, FILE *out);

#endif
