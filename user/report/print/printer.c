// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printer.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/object.h"
#include "base/terminal.h"
#include "report/print/coverage.h"
#include "report/print/jsontext.h"
#include "report/print/rows.h"

#define LIMITS_INDENT 2 /* spaces, below the completeness */

/* Prints the first members of the object. */
static gboolean print_completeness(const Printer *printer, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(printer->db, "completeness", NULL, error);
	g_autofree char *name = jsontext_quote(printer->name);

	if (!rows)
		return FALSE;
	fputs("{\n\"trust\": ", printer->out);
	if (!rows_print(rows, ROWS_JSON, printer->out, NULL, error))
		return FALSE;
	fprintf(printer->out, ",\n\"name\": %s", name);
	selection_print(printer->selection, TRUE, printer->out);
	return TRUE;
}

gboolean printer_begin(Printer *printer, GError **error)
{
	if (!completeness_read(printer->db, &printer->completeness, error))
		return FALSE;
	if (printer->json)
		return print_completeness(printer, error);
	escape_print_line("Trace: ", printer->name, printer->out);
	completeness_print(&printer->completeness, 0, printer->out);
	selection_print(printer->selection, FALSE, printer->out);
	return coverage_print_limits(printer->db, LIMITS_INDENT, printer->out, error);
}

gboolean printer_print(Printer *printer, ReportFunc print, gconstpointer options, GError **error)
{
	FILE *out = printer->out;
	char *text = NULL;
	size_t len = 0;
	gboolean fine;

	printer->out = open_memstream(&text, &len);
	if (!printer->out)
		g_error("no memory for an answer");
	fine = printer_begin(printer, error) && print(printer, options, error);
	if (fine)
		printer_end(printer);
	fclose(printer->out);
	printer->out = out;
	if (fine)
		fwrite(text, 1, len, out);
	free(text);
	return fine;
}

void printer_clear(Printer *printer)
{
	completeness_clear(&printer->completeness);
}

void printer_say_live(const Printer *printer)
{
	if (printer->json)
		return;
	fputs("Live is not leaked: the trace ended before it was freed\n", printer->out);
	if (printer->completeness.unseen_frees[0])
		fprintf(printer->out,
			"Paths were UNSEEN: live memory (%s) may have been freed there\n",
			printer->completeness.unseen_frees);
}

gboolean printer_table(const Printer *printer, const char *key, const char *title, const char *sql,
		       const char *const *params, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(printer->db, sql, params, error);
	guint64 count = 0;

	if (!rows)
		return FALSE;
	if (printer->json)
		return printer_rows(printer, key, rows, error);
	if (title)
		terminal_print_heading(title, printer->out);
	if (!rows_print(rows, ROWS_REPORT, printer->out, &count, error))
		return FALSE;
	if (!count && selection_is_part(printer->selection, 0))
		printer_note(printer, "no allocation that passes the filters");
	return TRUE;
}

gboolean printer_figures(const Printer *printer, const char *key, const char *title,
			 const TempTable *figures, GError **error)
{
	return temp_table_create(figures, printer->db, error) &&
	       printer_table(printer, key, title, "figures", NULL, error);
}

gboolean printer_rows(const Printer *printer, const char *key, StoreRows *rows, GError **error)
{
	fprintf(printer->out, ",\n\"%s\": ", key);
	return rows_print(rows, ROWS_JSON, printer->out, NULL, error);
}

void printer_built(const Printer *printer, const char *key, JsonBuilder *json)
{
	fprintf(printer->out, ",\n\"%s\": ", key);
	object_print(json, printer->out);
}

void printer_note(const Printer *printer, const char *text)
{
	if (!printer->json)
		fprintf(printer->out, "(%s)\n", text);
}

void printer_end(const Printer *printer)
{
	if (printer->json)
		fputs("\n}\n", printer->out);
}
