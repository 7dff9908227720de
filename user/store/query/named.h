/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The named queries: store/sql/query_NAME.sql. Comments at the head of each tell the rest:
 *
 * 	-- SPDX… -- What it answers, in one sentence. -- :older_ns 10s  what its parameter means
 *
 * A parameter's default ends at the first two blanks; it may be empty. Its name's end says how a
 * value is written, as columns' names do: …_ns is a time, …_bytes a size, "lines" a number, all
 * else a text. Its option is the name without that end.
 */
#ifndef KMT_STORE_QUERY_NAMED_H
#define KMT_STORE_QUERY_NAMED_H

#include <glib.h>

typedef struct {
	char *name;   /* ":older_ns" */
	char *option; /* "older" */
	char *value;  /* the default, as a person writes it */
	char *help;
} NamedParam;

typedef struct {
	char *name;
	char *summary;
	char *sql;
	GPtrArray *params; /* of NamedParam */
} NamedQuery;

/* All of them, in the order of their names. The caller unrefs. */
GPtrArray *named_load(void);

/* NULL if there is none. */
const NamedQuery *named_find(const GPtrArray *queries, const char *name);

/* NULL if it has no such option. */
const NamedParam *named_param(const NamedQuery *query, const char *option);

/*
 * A statement whose one number is how many rows @query has without :lines, NULL if it has no such
 * parameter. ":lines" limits either the answer, or the rows of a table expression that the answer
 * only describes: these are counted, which is much faster than to describe them. For g_free().
 */
char *named_count_sql(const NamedQuery *query);

/*
 * What store_query() takes as parameters: a value for each. @values: option to value, of those that
 * are not as by default. NULL with an error if a value is not what it must be. For g_strfreev().
 */
char **named_bind(const NamedQuery *query, GHashTable *values, GError **error);

#endif
