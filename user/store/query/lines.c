// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines in SQL: functions, and a temporary view "stacks" in place of the database's own, so
 * that every statement that shows a stack shows its lines.
 */
#include <sqlite3.h>
#include <string.h>

#include "store/query/query.h"
#include "store/schema/builds.h"
#include "store/schema/functions.h"
#include "store/store.h"
#include "symbols/lines.h"

static const char *text_of(sqlite3_value *value)
{
	return (const char *)sqlite3_value_text(value);
}

static void set_text(sqlite3_context *context, char *text)
{
	if (text)
		sqlite3_result_text(context, text, -1, g_free);
}

/* Columns of function_line.sql. */
enum { LINE_FUNCTION, LINE_MODULE, LINE_START, LINE_NAME };

/* Finds the lines of the function in the row of @stmt. */
static const GPtrArray *find(Lines *lines, sqlite3_stmt *stmt, guint64 addr)
{
	Symbol symbol = {
		.name = (const char *)sqlite3_column_text(stmt, LINE_FUNCTION),
		.module = (const char *)sqlite3_column_text(stmt, LINE_MODULE),
		.start = (guint64)sqlite3_column_int64(stmt, LINE_START),
	};

	return symbol.name ? lines_find(lines, &symbol, addr) : NULL;
}

/* Returns NULL, with the error set, on failure. The caller finalizes the statement. */
static sqlite3_stmt *query_function(sqlite3_context *context, guint64 addr)
{
	g_autoptr(GBytes) sql = db_sql("function_line");
	sqlite3 *handle = sqlite3_context_db_handle(context);
	sqlite3_stmt *stmt = NULL;

	if (!sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL) &&
	    !sqlite3_bind_int64(stmt, 1, (gint64)addr))
		return stmt;
	sqlite3_result_error(context, sqlite3_errmsg(handle), -1);
	sqlite3_finalize(stmt);
	return NULL;
}

/* line(addr): "file:line" of the innermost function. */
static void line(sqlite3_context *context, int count, sqlite3_value **values)
{
	sqlite3_stmt *stmt;
	guint64 addr;

	(void)count;
	if (!functions_take_addr(context, values[0], &addr))
		return;
	stmt = query_function(context, addr);
	if (stmt && sqlite3_step(stmt) == SQLITE_ROW)
		set_text(context, lines_innermost(find(sqlite3_user_data(context), stmt, addr)));
	sqlite3_finalize(stmt);
}

/* lines(addr): all functions at the address, with their lines. */
static void lines(sqlite3_context *context, int count, sqlite3_value **values)
{
	sqlite3_stmt *stmt;
	guint64 addr;

	(void)count;
	if (!functions_take_addr(context, values[0], &addr))
		return;
	stmt = query_function(context, addr);
	if (stmt && sqlite3_step(stmt) == SQLITE_ROW)
		set_text(context,
			 lines_describe(find(sqlite3_user_data(context), stmt, addr),
					(const char *)sqlite3_column_text(stmt, LINE_NAME)));
	sqlite3_finalize(stmt);
}

/* frame_lines(name, function, module, start, addr): the same for a row of frame. */
static void frame_lines(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *name = text_of(values[0]);
	Symbol symbol = {
		.name = text_of(values[1]),
		.module = text_of(values[2]),
		.start = (guint64)sqlite3_value_int64(values[3]),
	};
	guint64 addr = (guint64)sqlite3_value_int64(values[4]);
	const GPtrArray *found = NULL;

	(void)count;
	if (symbol.name && symbol.start)
		found = lines_find(sqlite3_user_data(context), &symbol, addr);
	set_text(context, lines_describe(found, name ? name : "?"));
}

static void free_lines(void *data)
{
	lines_free(data);
}

/* The connection takes over @data. */
static int add_functions(sqlite3 *handle, gpointer data)
{
	int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY, result;

	result = sqlite3_create_function_v2(handle, "line", 1, flags, data, line, NULL, NULL,
					    free_lines);
	if (!result)
		result = sqlite3_create_function_v2(handle, "lines", 1, flags, data, lines, NULL,
						    NULL, NULL);
	return result
		       ?: sqlite3_create_function_v2(handle, "frame_lines", 5, SQLITE_UTF8, data,
						     frame_lines, NULL, NULL, NULL);
}

static int add_view(sqlite3 *handle, gpointer data)
{
	g_autoptr(GBytes) sql = db_sql("stacks_with_lines");

	(void)data;
	return sqlite3_exec(handle, g_bytes_get_data(sql, NULL), NULL, NULL, NULL);
}

/* ---- debug files of the traced kernel ---- */

static void take_ids(BuildIds *ids, const char *name, const char *value)
{
	g_auto(GStrv) words = g_strsplit(value, " ", -1);

	for (guint i = 0; words[i]; i++)
		buildids_add(ids, name, words[i]);
}

static Lines *open_lines(StoreDb *db, const DebugPlaces *places, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "lines_facts", NULL, error);
	g_autoptr(BuildIds) ids = buildids_new();
	g_autofree char *release = NULL;
	guint64 start = 0;

	while (store_rows_next(rows)) {
		const char *key = store_rows_raw(rows, 0);

		if (!strcmp(key, "host.release") && !release)
			release = g_strdup(store_rows_raw(rows, 1));
		else if (!strcmp(key, "stext"))
			start = (guint64)store_rows_int(rows, 1);
		else if (g_str_has_prefix(key, BUILDS_PREFIX))
			take_ids(ids, key + strlen(BUILDS_PREFIX), store_rows_raw(rows, 1));
	}
	if (!store_rows_done(rows, error))
		return NULL;
	return lines_new(places, release, start, g_steal_pointer(&ids));
}

/* Compares the build ids and symbols in the trace with the debug file of the kernel. */
static gboolean verify(StoreDb *db, Lines *all, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "lines_functions", NULL, error);

	while (store_rows_next(rows)) {
		Symbol symbol = { .name = store_rows_raw(rows, 0),
				  .start = (guint64)store_rows_int(rows, 1) };

		if (!lines_verify(all, &symbol, error))
			return FALSE;
	}
	return store_rows_done(rows, error);
}

gboolean store_open_lines(StoreDb *db, const DebugPlaces *places, gboolean in_stacks,
			  GError **error)
{
	g_autoptr(Lines) all = open_lines(db, places, error);
	gboolean is_named = places->vmlinux || places->symfs;
	Lines *found;

	if (!all)
		return FALSE;
	if ((is_named || in_stacks) && (!lines_check(all, error) || !verify(db, all, error)))
		return FALSE;
	query_set_lines(db, NULL);
	found = all;
	if (!query_extend(db, add_functions, g_steal_pointer(&all), error))
		return FALSE;
	query_set_lines(db, found);
	return !in_stacks || query_extend(db, add_view, NULL, error);
}

gboolean store_has_lines(const StoreDb *db)
{
	return query_lines(db) != NULL;
}

const GPtrArray *store_find_lines(StoreDb *db, const Symbol *symbol, guint64 addr)
{
	return lines_find(query_lines(db), symbol, addr);
}
