// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/merged_caches.h"

#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "report/print/rows.h"

#define LIMIT "20" /* rows */
#define TITLE "Merged by the allocator: objects of these caches count under the first name"

/* Prints rows to memory first, since a table without rows is left out. */
static gboolean print_text(const Printer *printer, StoreRows *rows, GError **error)
{
	char *text = NULL;
	gboolean fine;
	guint64 count;
	size_t len;
	FILE *memory = open_memstream(&text, &len);

	fine = rows_print(rows, ROWS_REPORT, memory, &count, error);
	fclose(memory);
	if (fine && count) {
		terminal_print_heading(TITLE, printer->out);
		fputs(text, printer->out);
	}
	free(text);
	return fine;
}

gboolean merged_caches_print(const Printer *printer, const char *by, GError **error)
{
	const char *params[] = { ":limit", LIMIT, NULL };
	g_autoptr(StoreRows) rows = NULL;

	if (strcmp(by, "cache") != 0)
		return TRUE;
	rows = store_query_named(printer->db, "report_merged", params, error);
	if (!rows)
		return FALSE;
	return printer->json ? printer_rows(printer, "merged", rows, error)
			     : print_text(printer, rows, error);
}
