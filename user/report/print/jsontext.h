/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON strings and numbers, for output that is printed row by row, without a tree in memory.
 */
#ifndef KMT_REPORT_PRINT_JSONTEXT_H
#define KMT_REPORT_PRINT_JSONTEXT_H

#include <json-glib/json-glib.h>
#include <stdio.h>

/* Returns @text as a quoted JSON string, invalid UTF-8 replaced, for g_free(). */
char *jsontext_quote(const char *text);

/* Prints jsontext_quote(@text), or null for NULL. */
void jsontext_print(const char *text, FILE *out);

/*
 * Adds @value to a tree as an integer, or null beyond 2^62. From 10^15 on json-glib would print a
 * double as "1e+15.0", which is invalid JSON.
 */
void jsontext_add_double(JsonBuilder *json, double value);

#endif
