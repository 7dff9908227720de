/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts whose first line names their columns and whose other lines are numbers, as the tracer's
 * "stats": columns are found by name, so more of them may come.
 */
#ifndef KMT_BASE_COLUMNS_H
#define KMT_BASE_COLUMNS_H

#include <glib.h>

/* @line: the number in the first column. */
typedef void (*ColumnsFunc)(guint64 line, const char *column, guint64 value, gpointer data);

/*
 * Calls @func for each number behind the first column. Lines that don't start with a digit are left
 * out.
 */
void columns_parse(const char *text, ColumnsFunc func, gpointer data);

#endif
