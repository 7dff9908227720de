// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/rows.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/units.h"

/* ---- values ---- */

static char *readable_value(StoreRows *rows, int column)
{
	const char *name = store_rows_name(rows, column);
	gint64 value = store_rows_int(rows, column);

	if (g_str_has_suffix(name, "bytes"))
		return units_format_size(value);
	if (g_str_has_suffix(name, "_ns"))
		return units_format_time(value);
	if (g_str_has_suffix(name, "_pct"))
		return g_strdup_printf("%.1f%%", store_rows_double(rows, column));
	if (store_rows_type(rows, column) == STORE_INTEGER)
		return units_format_count(value);
	return g_strdup(store_rows_text(rows, column));
}

static gboolean is_number(StoreRows *rows, int column)
{
	StoreType type = store_rows_type(rows, column);

	return type == STORE_INTEGER || type == STORE_REAL;
}

/* A column of sizes, times or shares, also where a value is not known. */
static gboolean is_measure(const char *name)
{
	return g_str_has_suffix(name, "bytes") || g_str_has_suffix(name, "_ns") ||
	       g_str_has_suffix(name, "_pct");
}

/* ---- tables ---- */

typedef struct {
	gsize width;
	gboolean right;		/* a column of numbers */
} Column;

typedef struct {
	int columns;
	Column *column;
	GPtrArray *cells;	/* row after row, the names first */
} Table;

static void table_add(Table *table, int column, char *text)
{
	table->column[column].width =
		MAX(table->column[column].width, (gsize)g_utf8_strlen(text, -1));
	g_ptr_array_add(table->cells, text);
}

static char *report_cell(StoreRows *rows, int column)
{
	if (is_number(rows, column))
		return readable_value(rows, column);
	if (is_measure(store_rows_name(rows, column)))
		return g_strdup("-");
	return g_strdup(store_rows_text(rows, column));
}

static void table_add_row(Table *table, StoreRows *rows, RowsFormat format)
{
	for (int i = 0; i < table->columns; i++) {
		table->column[i].right |= is_number(rows, i);
		table_add(table, i,
			  format == ROWS_REPORT ? report_cell(rows, i)
						: g_strdup(store_rows_text(rows, i)));
	}
}

static void append_cell(GString *line, const Column *column, const char *text)
{
	int pad = column->width - g_utf8_strlen(text, -1);

	g_string_append_printf(line, "%*s%s%*s  ", column->right ? pad : 0, "", text,
			       column->right ? 0 : pad, "");
}

static void table_print(const Table *table, FILE *out)
{
	g_autoptr(GString) line = g_string_new(NULL);

	for (guint i = 0; i < table->cells->len; i++) {
		int column = i % table->columns;

		append_cell(line, &table->column[column], g_ptr_array_index(table->cells, i));
		if (column == table->columns - 1) {
			fprintf(out, "%s\n", g_strchomp(line->str));
			g_string_truncate(line, 0);
		}
	}
}

/* In a report the names of columns are for people, and the units stand at the values. */
static char *column_title(const char *name, RowsFormat format)
{
	g_autofree char *title = g_strdup(name);

	if (format != ROWS_REPORT)
		return g_steal_pointer(&title);
	if (g_str_has_suffix(title, "_ns"))
		title[strlen(title) - 3] = 0;
	if (g_str_has_suffix(title, "_pct"))
		memcpy(title + strlen(title) - 4, " %", 3);
	return g_strdelimit(g_steal_pointer(&title), "_", ' ');
}

static gboolean print_table(StoreRows *rows, RowsFormat format, FILE *out, guint64 *count,
			    GError **error)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
	Table table = { .columns = store_rows_columns(rows), .cells = cells };
	g_autofree Column *columns = g_new0(Column, table.columns + 1);
	g_autoptr(GError) local = NULL;

	table.column = columns;
	for (int i = 0; i < table.columns; i++) {
		table_add(&table, i, column_title(store_rows_name(rows, i), format));
		columns[i].right = format == ROWS_REPORT && is_measure(store_rows_name(rows, i));
	}
	while (store_rows_next(rows, &local)) {
		table_add_row(&table, rows, format);
		(*count)++;
	}
	if (*count || format == ROWS_TABLE)
		table_print(&table, out);
	else
		fputs("nothing\n", out);
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

/* ---- CSV ---- */

static void print_csv_cell(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_csv_end(FILE *out, gboolean last)
{
	fputs(last ? "\r\n" : ",", out);
}

static gboolean print_csv(StoreRows *rows, FILE *out, guint64 *count, GError **error)
{
	int columns = store_rows_columns(rows);
	g_autoptr(GError) local = NULL;

	for (int i = 0; i < columns; i++) {
		print_csv_cell(out, store_rows_name(rows, i));
		print_csv_end(out, i == columns - 1);
	}
	while (store_rows_next(rows, &local)) {
		for (int i = 0; i < columns; i++) {
			print_csv_cell(out, store_rows_text(rows, i));
			print_csv_end(out, i == columns - 1);
		}
		(*count)++;
	}
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

/* ---- JSON ---- */

static JsonNode *json_value(StoreRows *rows, int column)
{
	JsonNode *node = json_node_alloc();
	g_autofree char *valid = NULL;

	switch (store_rows_type(rows, column)) {
	case STORE_NULL:
		return json_node_init_null(node);
	case STORE_INTEGER:
		return json_node_init_int(node, store_rows_int(rows, column));
	case STORE_REAL:
		return json_node_init_double(node, store_rows_double(rows, column));
	default:
		valid = g_utf8_make_valid(store_rows_text(rows, column), -1);
		return json_node_init_string(node, valid);
	}
}

/* One row, as a line of its own: a result of any length is never held in memory. */
static void print_json_row(StoreRows *rows, FILE *out)
{
	g_autoptr(JsonObject) object = json_object_new();
	g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
	g_autofree char *text = NULL;

	for (int i = 0; i < store_rows_columns(rows); i++)
		json_object_set_member(object, store_rows_name(rows, i), json_value(rows, i));
	json_node_set_object(node, object);
	text = json_to_string(node, FALSE);
	fputs(text, out);
}

static gboolean print_json(StoreRows *rows, FILE *out, guint64 *count, GError **error)
{
	g_autoptr(GError) local = NULL;

	fputc('[', out);
	while (store_rows_next(rows, &local)) {
		fputs((*count)++ ? ",\n" : "\n", out);
		print_json_row(rows, out);
	}
	fputs("\n]", out);
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

gboolean rows_print(StoreRows *rows, RowsFormat format, FILE *out, guint64 *count, GError **error)
{
	guint64 unused;

	if (!count)
		count = &unused;
	*count = 0;
	switch (format) {
	case ROWS_CSV:
		return print_csv(rows, out, count, error);
	case ROWS_JSON:
		return print_json(rows, out, count, error);
	default:
		return print_table(rows, format, out, count, error);
	}
}
