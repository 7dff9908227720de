// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/restrict.h"

#include <string.h>

#include "base/units.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

/* The tables of restrict.sql. */
static const char *const tables[] = { "restriction", "kept_origin", "kept_task" };

static const char *find(const char *const *params, const char *name)
{
	for (; params && params[0]; params += 2) {
		if (!strcmp(params[0], name))
			return params[1];
	}
	return NULL;
}

/* Binds an integer, or else a text. A parameter without a value stays NULL. */
static int bind(sqlite3_stmt *stmt, int index, const char *const *params)
{
	const char *value = find(params, sqlite3_bind_parameter_name(stmt, index));
	gint64 number;

	if (!value)
		return SQLITE_OK;
	if (units_parse_integer(value, &number))
		return sqlite3_bind_int64(stmt, index, number);
	return sqlite3_bind_text(stmt, index, value, -1, SQLITE_TRANSIENT);
}

/* Runs all statements of @sql. */
static int run(sqlite3 *handle, const char *sql, const char *const *params)
{
	int result = SQLITE_OK;

	while (!result && *sql) {
		sqlite3_stmt *stmt = NULL;

		result = sqlite3_prepare_v2(handle, sql, -1, &stmt, &sql);
		for (int i = 1; !result && i <= sqlite3_bind_parameter_count(stmt); i++)
			result = bind(stmt, i, params);
		if (!result && stmt && sqlite3_step(stmt) != SQLITE_DONE)
			result = sqlite3_errcode(handle);
		sqlite3_finalize(stmt);
	}
	return result;
}

static int run_named(sqlite3 *handle, const char *name, const char *const *params)
{
	g_autoptr(GBytes) sql = db_sql(name);

	return run(handle, g_bytes_get_data(sql, NULL), params);
}

/*
 * Finds out whether the number of allocations of each origin follows from that in the whole trace.
 */
static int is_by_origin(sqlite3 *handle, gboolean *by_origin)
{
	g_autoptr(GBytes) sql = db_sql("restrict_by_origin");
	sqlite3_stmt *stmt = NULL;
	int result = sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);

	*by_origin = !result && sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int(stmt, 0);
	return sqlite3_finalize(stmt) ?: result;
}

static int run_totals(sqlite3 *handle, const char *counted, const char *by_origin, gboolean *whole)
{
	int result = is_by_origin(handle, whole);

	return result ?: run_named(handle, *whole ? by_origin : counted, NULL);
}

int restrict_connection(sqlite3 *handle, const char *const *params)
{
	g_autofree char *views = db_views_sql(TRUE);
	gboolean by_origin;

	return run(handle, views, NULL)
		       ?: run_named(handle, "restrict", params)
		       ?: run_named(handle, "restrict_lifetime", NULL)
		       ?: run_totals(handle, "restrict_totals", "restrict_totals_by_origin", &by_origin);
}

int restrict_temporaries(sqlite3 *handle, gboolean *by_origin)
{
	return run_totals(handle, "restrict_temporaries", "restrict_temporaries_by_origin",
			  by_origin);
}

/* ---- copying to another connection ---- */

static int insert_row(sqlite3_stmt *row, sqlite3_stmt *insert)
{
	int result = sqlite3_reset(insert);

	for (int i = 0; !result && i < sqlite3_column_count(row); i++)
		result = sqlite3_bind_value(insert, i + 1, sqlite3_column_value(row, i));
	if (!result && sqlite3_step(insert) != SQLITE_DONE)
		result = sqlite3_errcode(sqlite3_db_handle(insert));
	return result;
}

static int copy_rows(sqlite3 *handle, const char *table, sqlite3_stmt *rows)
{
	g_autoptr(GString) names = g_string_new(NULL);
	g_autoptr(GString) places = g_string_new(NULL);
	g_autofree char *create = NULL, *text = NULL;
	sqlite3_stmt *insert = NULL;
	int result;

	for (int i = 0; i < sqlite3_column_count(rows); i++) {
		g_string_append_printf(names, "%s%s", i ? ", " : "", sqlite3_column_name(rows, i));
		g_string_append(places, i ? ", ?" : "?");
	}
	create = g_strdup_printf("CREATE TEMP TABLE %s (%s%s)", table, names->str,
				 strcmp(names->str, "id") ? "" : " INTEGER PRIMARY KEY");
	text = g_strdup_printf("INSERT INTO temp.%s VALUES (%s)", table, places->str);
	result = sqlite3_exec(handle, create, NULL, NULL, NULL)
			 ?: sqlite3_prepare_v2(handle, text, -1, &insert, NULL);
	while (!result && sqlite3_step(rows) == SQLITE_ROW)
		result = insert_row(rows, insert);
	sqlite3_finalize(insert);
	return result;
}

/* @missing: @other lacks the table. */
static int copy_table(sqlite3 *handle, sqlite3 *other, const char *table, gboolean *missing)
{
	g_autofree char *text = g_strdup_printf("SELECT * FROM temp.%s", table);
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_OK;

	*missing = sqlite3_prepare_v2(other, text, -1, &rows, NULL) != SQLITE_OK;
	if (!*missing)
		result = copy_rows(handle, table, rows);
	return sqlite3_finalize(rows) ?: result;
}

int restrict_as(sqlite3 *handle, sqlite3 *other)
{
	gboolean missing = FALSE;
	int result = SQLITE_OK;

	for (guint i = 0; i < G_N_ELEMENTS(tables) && !missing && !result; i++)
		result = copy_table(handle, other, tables[i], &missing);
	if (missing || result)
		return result;
	return run_named(handle, "restrict_lifetime", NULL);
}
