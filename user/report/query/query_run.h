/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs statements and named queries and prints their answers: from an argument, a file, or the
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
	RowsFormat format;        /* of statements; named queries: tables are readable */
	gboolean explain;         /* print statements and their plans instead of answers */
	FILE *out;
} QueryRun;

/* One statement. */
gboolean query_run_statement(const QueryRun *ask, const char *sql, GError **error);

/* As many statements as there are in @sql. *@count grows by how many were answered. */
gboolean query_run_statements(const QueryRun *ask, const char *sql, guint *count, GError **error);

/* A named query. @values: option to value, of those that are not as by default. */
gboolean query_run_named(const QueryRun *ask, const NamedQuery *query, GHashTable *values,
			 GError **error);

/* Prints what named queries there are, with their options and what these are by default. */
void query_run_list(const GPtrArray *queries, FILE *out);

/* The same as an array of objects. */
void query_run_list_json(const GPtrArray *queries, FILE *out);

#endif
