// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/query/temp_table.h"

#include <string.h>

#include "store/query/query.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

typedef struct {
	StoreType type;
	gint64 number;
	double real;
	char *text;
} Value;

struct TempTable {
	char *name, *columns;
	GArray *values; /* of Value, row by row */
};

static void clear_value(gpointer value)
{
	g_free(((Value *)value)->text);
}

TempTable *temp_table_new(const char *name, const char *columns)
{
	TempTable *table = g_new0(TempTable, 1);

	table->name = g_strdup(name);
	table->columns = g_strdup(columns);
	table->values = g_array_new(FALSE, FALSE, sizeof(Value));
	g_array_set_clear_func(table->values, clear_value);
	return table;
}

void temp_table_free(TempTable *table)
{
	if (!table)
		return;
	g_free(table->name);
	g_free(table->columns);
	g_array_unref(table->values);
	g_free(table);
}

void temp_table_add(TempTable *table, const gint64 *values, gsize count)
{
	for (gsize i = 0; i < count; i++) {
		Value value = { STORE_INTEGER, .number = values[i] };

		if (value.number == TEMP_TABLE_NULL)
			value.type = STORE_NULL;
		g_array_append_val(table->values, value);
	}
}

void temp_table_add_real(TempTable *table, double real)
{
	Value value = { STORE_REAL, .real = real };

	g_array_append_val(table->values, value);
}

void temp_table_add_text(TempTable *table, const char *text)
{
	Value value = { STORE_TEXT, .text = g_strdup(text) };

	g_array_append_val(table->values, value);
}

void temp_table_add_row(TempTable *table, StoreRows *rows)
{
	for (int i = 0; i < store_rows_columns(rows); i++) {
		Value value = { store_rows_type(rows, i), .number = store_rows_int(rows, i) };

		if (value.type == STORE_REAL)
			value.real = store_rows_double(rows, i);
		else if (value.type == STORE_TEXT)
			value.text = g_strdup(store_rows_raw(rows, i));
		g_array_append_val(table->values, value);
	}
}

static int bind(sqlite3_stmt *stmt, int column, const Value *value)
{
	switch (value->type) {
	case STORE_INTEGER:
		return sqlite3_bind_int64(stmt, column, value->number);
	case STORE_REAL:
		return sqlite3_bind_double(stmt, column, value->real);
	case STORE_TEXT:
		return sqlite3_bind_text(stmt, column, value->text, -1, SQLITE_STATIC);
	default:
		return sqlite3_bind_null(stmt, column);
	}
}

static int insert_rows(sqlite3 *handle, const TempTable *table, guint columns)
{
	g_autoptr(GString) sql = g_string_new(NULL);
	sqlite3_stmt *stmt = NULL;
	int result;

	g_string_printf(sql, "INSERT INTO temp.%s VALUES (?", table->name);
	for (guint i = 1; i < columns; i++)
		g_string_append(sql, ", ?");
	g_string_append_c(sql, ')');
	result = sqlite3_prepare_v2(handle, sql->str, -1, &stmt, NULL);
	for (guint i = 0; i < table->values->len && !result; i++) {
		result = bind(stmt, i % columns + 1, &g_array_index(table->values, Value, i));
		if (result || i % columns + 1 < columns)
			continue;
		sqlite3_step(stmt);
		result = sqlite3_reset(stmt);
	}
	return sqlite3_finalize(stmt) ?: result;
}

static int create(sqlite3 *handle, gpointer data)
{
	const TempTable *table = data;
	g_autofree char *sql =
		g_strdup_printf("DROP TABLE IF EXISTS temp.%s; CREATE TEMP TABLE %s (%s)",
				table->name, table->name, table->columns);
	guint columns = 1;

	for (const char *comma = table->columns; (comma = strchr(comma, ',')); comma++)
		columns++;
	return sqlite3_exec(handle, sql, NULL, NULL, NULL) ?: insert_rows(handle, table, columns);
}

gboolean temp_table_create(const TempTable *table, StoreDb *db, GError **error)
{
	return query_extend(db, create, (gpointer)table, error);
}

static int create_view(sqlite3 *handle, gpointer name)
{
	g_autoptr(GBytes) sql = db_sql(name);

	return sqlite3_exec(handle, g_bytes_get_data(sql, NULL), NULL, NULL, NULL);
}

gboolean temp_view_create(StoreDb *db, const char *name, GError **error)
{
	return query_extend(db, create_view, (gpointer)name, error);
}
