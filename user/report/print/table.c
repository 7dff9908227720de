// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/table.h"

#include "base/text_width.h"

#define GAP      2  /* terminal columns between two of the table */
#define TEXT_MIN 16 /* minimum width of texts that are shortened to keep a row on one line */
#define INDENT   4  /* of continued lines of a row */

void table_init(Table *table, int columns)
{
	table->columns = columns;
	table->column = g_new0(TableColumn, columns + 1);
	table->cells = g_ptr_array_new_with_free_func(g_free);
}

void table_clear(Table *table)
{
	g_clear_pointer(&table->column, g_free);
	g_clear_pointer(&table->cells, g_ptr_array_unref);
}

void table_add(Table *table, int column, char *text)
{
	table->column[column].width = MAX(table->column[column].width, text_width(text));
	g_ptr_array_add(table->cells, text);
}

/* ---- fitting ---- */

static gboolean is_in_row(const TableColumn *column)
{
	return !column->hidden && !column->stack;
}

static gboolean is_text(const TableColumn *column)
{
	return is_in_row(column) && !column->right && !column->fixed;
}

/* Returns the width of a row on one line. */
static gsize row_width(const Table *table)
{
	gsize width = 0;

	for (int i = 0; i < table->columns; i++) {
		if (is_in_row(&table->column[i]))
			width += table->column[i].width + (width ? GAP : 0);
	}
	return width;
}

/* Returns the widest column of texts; NULL if none is wider than @least. */
static TableColumn *widest_text(const Table *table, gsize least)
{
	TableColumn *widest = NULL;

	for (int i = 0; i < table->columns; i++) {
		TableColumn *column = &table->column[i];

		if (is_text(column) && column->width > least &&
		    (!widest || column->width > widest->width))
			widest = column;
	}
	return widest;
}

/*
 * Shortens the widest columns until a row fits. Returns FALSE, with nothing changed, if it can't.
 */
static gboolean shorten(Table *table, gsize width)
{
	g_autofree gsize *before = g_new(gsize, table->columns + 1);
	gsize wanted = row_width(table);
	TableColumn *widest;

	for (int i = 0; i < table->columns; i++)
		before[i] = table->column[i].width;
	while (wanted > width && (widest = widest_text(table, TEXT_MIN))) {
		widest->width--;
		wanted--;
	}
	for (int i = 0; i < table->columns && wanted > width; i++)
		table->column[i].width = before[i];
	return wanted <= width;
}

/* Assigns each column to the first line on which it fits, in order. */
static void fold(Table *table, gsize width)
{
	gsize used = 0;
	guint line = 0;

	for (int i = 0; i < table->columns; i++) {
		TableColumn *column = &table->column[i];

		if (!is_in_row(column))
			continue;
		if (used && used + GAP + column->width > width) {
			line++;
			used = 0;
		}
		used += used ? GAP : line ? INDENT : 0;
		if (!column->right)
			column->width = MIN(column->width, width > used ? width - used : 1);
		used += column->width;
		column->line = line;
	}
}

void table_fit(Table *table, gsize width)
{
	if (width && row_width(table) > width && !shorten(table, width))
		fold(table, width);
}

/* ---- printing ---- */

static void append_cell(GString *line, const TableColumn *column, const char *text)
{
	g_autofree char *shown = text_shorten(text, column->width);
	int pad = column->width - text_width(shown);

	g_string_append_printf(line, "%*s%s%*s", column->right ? pad : 0, "", shown,
			       column->right ? 0 : pad, "");
}

/*
 * Prints stacks, innermost frame first. If a row has several, each is printed below the name of its
 * column.
 */
static void print_stacks(const Table *table, guint first, FILE *out)
{
	guint stacks = 0;

	for (int i = 0; i < table->columns; i++)
		stacks += table->column[i].stack;
	for (int i = 0; i < table->columns && first; i++) {
		const char *text = g_ptr_array_index(table->cells, first + i);
		g_auto(GStrv) frames = g_strsplit(text, " < ", -1);

		if (!table->column[i].stack)
			continue;
		if (stacks > 1 && *text)
			fprintf(out, "  %s\n", (const char *)g_ptr_array_index(table->cells, i));
		for (guint j = 0; frames[j]; j++)
			fprintf(out, "%*s%s\n", INDENT, "", frames[j]);
	}
}

void table_print_row(const Table *table, guint row, FILE *out)
{
	g_autoptr(GString) line = g_string_new(NULL);
	guint first = row * table->columns, at = 0;

	for (int i = 0; i < table->columns; i++) {
		const TableColumn *column = &table->column[i];

		if (!is_in_row(column))
			continue;
		if (column->line > at) {
			fprintf(out, "%s\n", g_strchomp(line->str));
			g_string_printf(line, "%*s", INDENT, "");
			at = column->line;
		} else if (line->len) {
			g_string_append_printf(line, "%*s", GAP, "");
		}
		append_cell(line, column, g_ptr_array_index(table->cells, first + i));
	}
	fprintf(out, "%s\n", g_strchomp(line->str));
	print_stacks(table, first, out);
}

void table_print(Table *table, gsize width, FILE *out)
{
	table_fit(table, width);
	for (guint i = 0; table->columns && i < table->cells->len / table->columns; i++)
		table_print_row(table, i, out);
}
