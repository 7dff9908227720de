/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of text: aligned columns below their names. It fits the terminal: texts are shortened in
 * the middle, never numbers. If that isn't enough, each row continues on further lines.
 */
#ifndef KMT_REPORT_PRINT_TABLE_H
#define KMT_REPORT_PRINT_TABLE_H

#include <glib.h>
#include <stdio.h>

typedef struct {
	gsize width;
	gboolean right;  /* a column of numbers */
	gboolean hidden; /* until a row has a value */
	gboolean fixed;  /* texts that must not be shortened, such as bars */
	gboolean stack;  /* call stacks, "f < g": below their row, one frame per line */
	guint line;      /* line of a row that it is on */
} TableColumn;

typedef struct {
	int columns;
	TableColumn *column;
	GPtrArray *cells; /* row by row, the names first */
} Table;

/* @columns: their number. For table_clear(). */
void table_init(Table *table, int columns);
void table_clear(Table *table);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Table, table_clear)

/* Adds the next cell, in @column. Takes over @text, which must be printable. */
void table_add(Table *table, int column, char *text);

/* Prints it in lines of at most @width columns; 0: unlimited. */
void table_print(Table *table, gsize width, FILE *out);

/* The same row by row: fits it, once all cells are added; prints the row @row, 0: the names. */
void table_fit(Table *table, gsize width);
void table_print_row(const Table *table, guint row, FILE *out);

#endif
