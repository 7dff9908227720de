/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What answers about whole traces have in common: the line of trust that comes first, and JSON that
 * is built before it is printed.
 */
#ifndef KMT_REPORT_WHOLE_H
#define KMT_REPORT_WHOLE_H

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "report/trust.h"

/* "Trust: complete; no event was lost", or what is missing. @indent: spaces before it. */
void whole_print_trust(const Trust *trust, int indent, FILE *out);

/* The member "trust" of the object that is open: one row with the names of trust.sql. */
void whole_add_trust(JsonBuilder *json, const Trust *trust);

/* Members of the object that is open. */
void whole_add_int(JsonBuilder *json, const char *name, gint64 value);
void whole_add_text(JsonBuilder *json, const char *name, const char *text);

/* Prints what was built, and a newline. */
void whole_print_json(JsonBuilder *json, FILE *out);

#endif
