/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sheet that an answer is written on: whether the trace can be trusted first, then tables, as
 * text or as the members of a JSON object.
 */
#ifndef KMT_REPORT_SHEET_H
#define KMT_REPORT_SHEET_H

#include <stdio.h>

#include "report/trust.h"

typedef struct {
	StoreDb *db;
	FILE *out;
	gboolean json;
	gboolean incomplete; /* of the trace: exit code 3 */
} Sheet;

/* Writes the head, with the sampling if there is any. */
gboolean sheet_begin(Sheet *sheet, StoreDb *db, gboolean json, FILE *out, GError **error);

/* The rows of store/sql/@query.sql, under @title or as the member @key. */
gboolean sheet_table(const Sheet *sheet, const char *key, const char *title, const char *query,
		     const char *const *params, GError **error);

/* A line of text behind a table; nothing in JSON. */
void sheet_note(const Sheet *sheet, const char *text);

void sheet_end(const Sheet *sheet);

#endif
