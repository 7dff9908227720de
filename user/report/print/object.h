/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON that is built before it is printed, where the rows of a statement do not suffice.
 */
#ifndef KMT_REPORT_PRINT_OBJECT_H
#define KMT_REPORT_PRINT_OBJECT_H

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "store/store.h"

/* Add members to the open object. */
void object_add_int(JsonBuilder *json, const char *name, gint64 value);
void object_add_text(JsonBuilder *json, const char *name, const char *text);

/* Adds the remaining @rows as an array of objects with plain values. */
gboolean object_add_rows(JsonBuilder *json, const char *name, StoreRows *rows, GError **error);

/* Prints the tree, without a newline. */
void object_print(JsonBuilder *json, FILE *out);

#endif
