/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of all output, and its tables. Text: the trace, whether it is complete, and what was not
 * requested or could not be traced. JSON: one object, whose first members are "trust", as in
 * completeness.sql, and the trace's "name"; each table is a member. The interval comes next:
 * "between".
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
	const Selection *selection; /* the interval; NULL or empty: none */
	Completeness completeness;
} Printer;

/* Prints the tables of a report, after its head. @options are the report's. */
typedef gboolean (*ReportFunc)(const Printer *printer, gconstpointer options, GError **error);

/*
 * Prints the head, the output of @print, and the end, all at once: an error leaves no partial
 * output. For printer_clear() in any case.
 */
gboolean printer_print(Printer *printer, ReportFunc print, gconstpointer options, GError **error);

/* Prints the head. *@printer is the caller's, for printer_clear(), also after an error. */
gboolean printer_begin(Printer *printer, GError **error);
void printer_clear(Printer *printer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Printer, printer_clear)

/* In text, prints that live memory is not necessarily leaked, and whether frees may be unseen. */
void printer_say_live(const Printer *printer);

/*
 * Prints the rows of the statement @sql with @params (as of store_query()). In text, @title is
 * above them, unless it is NULL; in JSON they are the member @key.
 */
gboolean printer_table(const Printer *printer, const char *key, const char *title, const char *sql,
		       const char *const *params, GError **error);

/* The same for rows made in C, a table named figures. */
gboolean printer_figures(const Printer *printer, const char *key, const char *title,
			 const TempTable *figures, GError **error);

/* JSON only: print the member @key: the remaining @rows; a tree. */
gboolean printer_rows(const Printer *printer, const char *key, StoreRows *rows, GError **error);
void printer_built(const Printer *printer, const char *key, JsonBuilder *json);

/* Prints a line of text after a table; nothing in JSON. */
void printer_note(const Printer *printer, const char *text);

/* Prints the end of the output. */
void printer_end(const Printer *printer);

#endif
