/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that is built before it is printed. */
#ifndef KMT_BASE_OBJECT_H
#define KMT_BASE_OBJECT_H

#include <json-glib/json-glib.h>
#include <stdio.h>

/* Add members to the open object. Invalid UTF-8 is replaced; a @text of NULL is null. */
void object_add_int(JsonBuilder *json, const char *name, gint64 value);
void object_add_bool(JsonBuilder *json, const char *name, gboolean value);
void object_add_text(JsonBuilder *json, const char *name, const char *text);

/* Returns the tree as text without a newline, for g_free(): indented, or one line. */
char *object_text(JsonBuilder *json, gboolean pretty);

/* Prints that text, indented. */
void object_print(JsonBuilder *json, FILE *out);

#endif
