/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The named queries: store/sql/query/query_NAME.sql. Comments at the head of each file describe it:
 *
 * 	-- SPDX…
 * 	-- A summary, in one sentence.
 * 	-- :older_ns 10s  the help of a parameter
 *
 * A parameter's default ends at the first two blanks; it may be empty. The suffix of its name
 * determines the format of its values, as with columns: …_ns is a time, …_bytes a size, …_pfn a
 * page frame number, "lines" a number, all others a text. Its option is the name without the
 * suffix.
 */
#ifndef KMT_STORE_QUERY_NAMED_H
#define KMT_STORE_QUERY_NAMED_H

#include <glib.h>

typedef struct {
	char *name;   /* ":older_ns" */
	char *option; /* "older" */
	char *value;  /* the default, as on the command line */
	char *help;
} NamedParam;

typedef struct {
	char *name;
	char *summary;
	char *sql;
	GPtrArray *params; /* of NamedParam */
} NamedQuery;

/* Returns all named queries, in the order of their names. The caller unrefs them. */
GPtrArray *named_load(void);

/* Returns NULL if there is none. */
const NamedQuery *named_find(const GPtrArray *queries, const char *name);

/* Returns NULL if there is no such option. */
const NamedParam *named_param(const NamedQuery *query, const char *option);

/*
 * Returns a statement that counts the rows of @query without :lines, or NULL if it has no such
 * parameter. ":lines" limits either the result, or the rows of a table expression that the result
 * only describes: then these are counted, which is much faster. For g_free().
 */
char *named_count_sql(const NamedQuery *query);

/*
 * Returns the parameters for store_query(). @values: option to value, for those not at their
 * default. NULL with an error for an invalid value. For g_strfreev().
 */
char **named_bind(const NamedQuery *query, GHashTable *values, GError **error);

#endif
