/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the tests of reports: builds a trace, loads it into a database, and prints a report.
 * Header only: each test is a binary of its own.
 */
#ifndef KMT_TESTS_STORE_CHECK_H
#define KMT_TESTS_STORE_CHECK_H

#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/print/printer.h"
#include "report/select/select.h"
#include "trace-builder.h"

/* In a folder of their own, all removed by check_store_clear(). */
struct check_store {
	char *folder, *kmt, *db_path;
	struct builder *builder;	/* builds the trace, until check_store_load() */
	StoreDb *db;			/* the database, from then on */
	Selection *selection;		/* for the reports; NULL: all */
	gboolean incomplete;		/* from the last report */
};

static inline void check_store_init_with(struct check_store *store,
					 const struct builder_options *options)
{
	store->folder = g_dir_make_tmp("kmemtrace-test-XXXXXX", NULL);
	g_assert_nonnull(store->folder);
	store->kmt = g_build_filename(store->folder, "t.kmt", NULL);
	store->db_path = g_build_filename(store->folder, "t.db", NULL);
	store->builder = builder_new_with(store->kmt, options);
}

static inline void check_store_init(struct check_store *store)
{
	check_store_init_with(store, &(struct builder_options){ 0 });
}

/* Finishes the trace, loads it, and opens the database. */
static inline void check_store_open(struct check_store *store)
{
	StoreLoadResult result;
	GError *error = NULL;

	store_load(store->kmt, store->db_path, NULL, NULL, &result, &error);
	g_assert_no_error(error);
	store->db = store_open(store->db_path, &error);
	g_assert_no_error(error);
}

static inline void check_store_load(struct check_store *store)
{
	builder_finish(store->builder);
	check_store_open(store);
}

static inline void check_store_clear(struct check_store *store)
{
	store_close(store->db);
	g_unlink(store->kmt);
	g_unlink(store->db_path);
	g_assert_cmpint(g_rmdir(store->folder), ==, 0);
	g_free(store->kmt);
	g_free(store->db_path);
	g_free(store->folder);
}

/* A report as text, for free(); with an error, the text printed so far. */
static inline char *check_answer_error(struct check_store *store, ReportFunc print,
				       gconstpointer options, gboolean json, GError **error)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	g_auto(Printer) printer = { .db = store->db, .name = "t.kmt", .out = out, .json = json,
				  .selection = store->selection };

	g_assert_nonnull(out);
	if (select_restrict(store->db, store->selection, error) &&
	    printer_print(&printer, print, options, error))
		store->incomplete = completeness_is_incomplete(&printer.completeness);
	fclose(out);
	return text;
}

/* The same for a report that must not fail. */
static inline char *check_answer(struct check_store *store, ReportFunc print,
				 gconstpointer options, gboolean json)
{
	GError *error = NULL;
	char *text = check_answer_error(store, print, options, json, &error);

	g_assert_no_error(error);
	return text;
}

/* ---- results of statements: cells joined by '|', rows by a line end ---- */

/* For g_free(). With an error, the rows before it. */
static inline char *check_rows(StoreRows *rows)
{
	GString *text = g_string_new(NULL);

	for (guint row = 0; store_rows_next(rows); row++) {
		for (int i = 0; i < store_rows_columns(rows); i++)
			g_string_append_printf(text, "%s%s", i ? "|" : row ? "\n" : "",
					       store_rows_text(rows, i));
	}
	return g_string_free(text, FALSE);
}

/* NULL on error. */
static inline char *check_ask(StoreDb *db, const char *sql, const char *const *params,
			      GError **error)
{
	g_autoptr(StoreRows) rows = store_query(db, sql, params, error);
	g_autofree char *text = check_rows(rows);

	return store_rows_done(rows, error) ? g_steal_pointer(&text) : NULL;
}

static inline void check_sql(StoreDb *db, const char *sql, const char *expected)
{
	GError *error = NULL;
	g_autofree char *text = check_ask(db, sql, NULL, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(text, ==, expected);
}

/* The same for a statement kept in store/sql. */
static inline void check_named(StoreDb *db, const char *name, const char *const *params,
			       const char *expected)
{
	GError *error = NULL;
	g_autoptr(StoreRows) rows = store_query_named(db, name, params, &error);
	g_autofree char *text = check_rows(rows);

	store_rows_done(rows, error ? NULL : &error);
	g_assert_no_error(error);
	g_assert_cmpstr(text, ==, expected);
}

/* Allocations without an end are the last rows, from first_left on. */
static inline void check_first_left(StoreDb *db)
{
	check_sql(db, "SELECT count(*) FROM alloc JOIN meta ON key = 'first_left' "
		  "WHERE (id >= value) <> (state IN (0, 4)) OR (state IN (0, 4)) <> (lifetime_ns IS NULL)",
		  "0");
}

/* ---- parts of a text ---- */

static inline void check_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		g_error("'%s' is not in\n%s", part, text);
}

static inline void check_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		g_error("'%s' is in\n%s", part, text);
}

#endif
