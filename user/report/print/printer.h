/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of all output, and its tables. Text: the trace, whether it is complete, and what was not
 * requested or could not be traced. JSON: one object, whose first members are "trust", as in
 * completeness.sql, and the trace's "name"; each table is a member. The interval comes next: "between".
 */
#ifndef KMT_REPORT_PRINT_PRINTER_H
#define KMT_REPORT_PRINT_PRINTER_H

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "report/print/completeness.h"
#include "report/print/selection.h"
#include "store/query/temp_table.h"

typedef struct {
	StoreDb *db;
	const char *name; /* of the trace */
	FILE *out;
	gboolean json;
	const Selection *selection; /* the interval; NULL, or without names: none */
	Completeness completeness;
} Printer;

/* Prints the tables of an answer, whose head is there. @options are of the question. */
typedef gboolean (*ReportFunc)(const Printer *printer, gconstpointer options, GError **error);

/*
 * All of it: the head, what @print prints, the end. At once, when all is known: an error leaves no
 * half of an answer. For printer_clear(), also then.
 */
gboolean printer_print(Printer *printer, ReportFunc print, gconstpointer options, GError **error);

/* Prints the head. *@printer is the caller's, for printer_clear(), also after an error. */
gboolean printer_begin(Printer *printer, GError **error);
void printer_clear(Printer *printer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Printer, printer_clear)

/* Text alone: that live is not leaked, and if something was not seen, that a free may be. */
void printer_say_live(const Printer *printer);

/*
 * The rows of the statement @sql with @params (as of store_query()). Text has @title above them, if
 * it isn't NULL, "nothing" for no rows; JSON has them as the member @key.
 */
gboolean printer_table(const Printer *printer, const char *key, const char *title, const char *sql,
		       const char *const *params, GError **error);

/* The same of rows that were made in C, a table named figures. */
gboolean printer_figures(const Printer *printer, const char *key, const char *title,
			 const TempTable *figures, GError **error);

/* JSON alone, as members @key: all that is left of @rows; what was built. */
gboolean printer_rows(const Printer *printer, const char *key, StoreRows *rows, GError **error);
void printer_built(const Printer *printer, const char *key, JsonBuilder *json);

/* A line of text behind a table; nothing in JSON. */
void printer_note(const Printer *printer, const char *text);

/* The end of what printer_begin() began. */
void printer_end(const Printer *printer);

#endif
