/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses texts with a line of column names and lines of numbers, as the tracer's "stats". Columns
 * are found by name, so new ones may be added.
 */
#ifndef KMT_BASE_COLUMNS_H
#define KMT_BASE_COLUMNS_H

#include <glib.h>

/* @line: the number in the first column. */
typedef void (*ColumnsFunc)(guint64 line, const char *column, guint64 value, gpointer data);

/*
 * Calls @func for each number after the first column. Ignores lines that don't start with a digit.
 */
void columns_parse(const char *text, ColumnsFunc func, gpointer data);

#endif
