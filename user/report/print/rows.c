// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/rows.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/seed.h"
#include "base/terminal.h"
#include "base/units.h"
#include "report/print/csv.h"
#include "report/print/jsontext.h"
#include "report/print/table.h"

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

/* Returns whether a column has sizes, times or shares, also for unknown values. */
static gboolean is_measure(const char *name)
{
	return g_str_has_suffix(name, "bytes") || g_str_has_suffix(name, "_ns") ||
	       g_str_has_suffix(name, "_pct");
}

/* ---- tables ---- */

/* Bars are drawn by SQL. */
static gboolean is_bar(const char *name)
{
	return !strcmp(name, "bar") || !strcmp(name, "over_time");
}

/* Returns whether @text is a stack, innermost frame first, rather than a stack's number. */
static gboolean is_stack(const char *name, const char *text)
{
	return g_str_has_suffix(name, "stack") && strstr(text, " < ");
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
		table->column[i].hidden &= store_rows_int(rows, i) == 0;
		table->column[i].stack |=
			format == ROWS_REPORT &&
			is_stack(store_rows_name(rows, i), store_rows_text(rows, i));
		table_add(table, i,
			  format == ROWS_REPORT ? report_cell(rows, i)
						: g_strdup(store_rows_text(rows, i)));
	}
}

/* Returns the title of a column. In a report, names are readable, and units are with the values. */
static char *column_title(const char *name, RowsFormat format)
{
	g_autofree char *title = escape_text(name);

	if (format != ROWS_REPORT)
		return g_steal_pointer(&title);
	if (g_str_has_suffix(title, "_ns"))
		title[strlen(title) - 3] = 0;
	if (g_str_has_suffix(title, "_pct"))
		memcpy(title + strlen(title) - 4, " %", 3);
	return g_strdelimit(g_steal_pointer(&title), "_", ' ');
}

static void add_titles(Table *table, StoreRows *rows, RowsFormat format)
{
	for (int i = 0; i < table->columns; i++) {
		const char *name = store_rows_name(rows, i);

		table_add(table, i, column_title(name, format));
		if (format != ROWS_REPORT)
			continue;
		table->column[i].right = is_measure(name);
		table->column[i].hidden = store_rows_is_optional(rows, i);
		table->column[i].fixed = is_bar(name);
	}
}

static gboolean print_table(StoreRows *rows, RowsFormat format, FILE *out, guint64 *count,
			    GError **error)
{
	g_auto(Table) table = { 0 };

	table_init(&table, store_rows_columns(rows));
	add_titles(&table, rows, format);
	while (store_rows_next(rows)) {
		table_add_row(&table, rows, format);
		(*count)++;
	}
	if (*count || (format == ROWS_TABLE && store_rows_done(rows, NULL)))
		table_print(&table, terminal_width(), out);
	else if (store_rows_done(rows, NULL))
		fputs("nothing\n", out);
	return store_rows_done(rows, error);
}

/* ---- CSV ---- */

static void print_csv_end(FILE *out, gboolean last)
{
	fputs(last ? "\n" : ",", out);
}

static void print_csv_cell(StoreRows *rows, int column, FILE *out)
{
	if (is_number(rows, column))
		fputs(store_rows_raw(rows, column), out);
	else
		csv_print_text(store_rows_raw(rows, column), out);
}

static gboolean print_csv(StoreRows *rows, FILE *out, guint64 *count, GError **error)
{
	int columns = store_rows_columns(rows);

	for (int i = 0; i < columns; i++) {
		csv_print_text(store_rows_name(rows, i), out);
		print_csv_end(out, i == columns - 1);
	}
	while (store_rows_next(rows)) {
		for (int i = 0; i < columns; i++) {
			print_csv_cell(rows, i, out);
			print_csv_end(out, i == columns - 1);
		}
		(*count)++;
	}
	return store_rows_done(rows, error);
}

/* ---- JSON ---- */

/* Prints 9.0e+999 for infinity, and exponents, for which the library writes invalid JSON. */
static void print_json_double(double value, FILE *out)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (!isfinite(value)) {
		fputs(value < 0 ? "-9.0e+999" : "9.0e+999", out);
		return;
	}
	g_ascii_dtostr(text, sizeof(text), value);
	fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_json_value(StoreRows *rows, int column, FILE *out)
{
	g_autofree char *text = NULL;

	switch (store_rows_type(rows, column)) {
	case STORE_NULL:
		fputs("null", out);
		break;
	case STORE_INTEGER:
		fprintf(out, "%" G_GINT64_FORMAT, store_rows_int(rows, column));
		break;
	case STORE_REAL:
		print_json_double(store_rows_double(rows, column), out);
		break;
	default:
		text = jsontext_quote(store_rows_raw(rows, column));
		fputs(text, out);
	}
}

/* Returns the quoted names of the columns. A repeated name gets a number: "n:1". */
static GPtrArray *json_names(StoreRows *rows)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	for (int i = 0; i < store_rows_columns(rows); i++) {
		g_autofree char *name = g_strdup(store_rows_name(rows, i));

		for (int n = 1; g_hash_table_contains(seen, name); n++) {
			g_free(name);
			name = g_strdup_printf("%s:%d", store_rows_name(rows, i), n);
		}
		g_ptr_array_add(names, jsontext_quote(name));
		g_hash_table_add(seen, g_steal_pointer(&name));
	}
	return names;
}

/* Prints a row on its own line: a result of any length is never held in memory. */
static void print_json_row(StoreRows *rows, const GPtrArray *names, FILE *out)
{
	for (guint i = 0; i < names->len; i++) {
		fprintf(out, "%c%s:", i ? ',' : '{', (const char *)g_ptr_array_index(names, i));
		print_json_value(rows, i, out);
	}
	fputc('}', out);
}

static gboolean print_json(StoreRows *rows, FILE *out, guint64 *count, GError **error)
{
	g_autoptr(GPtrArray) names = json_names(rows);

	fputc('[', out);
	while (store_rows_next(rows)) {
		fputs((*count)++ ? ",\n" : "\n", out);
		print_json_row(rows, names, out);
	}
	fputs("\n]", out);
	return store_rows_done(rows, error);
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
