// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/tracer_memory.h"

#include "base/units.h"

static void append_kind(StoreRows *rows, GString *text)
{
	g_autofree char *size = units_format_size(store_rows_int(rows, 0));
	g_autofree char *number = units_format_count(store_rows_int(rows, 1));

	g_string_append_printf(text, "%s%s in %s of kind %s", text->len ? ", " : "", size, number,
			       store_rows_text(rows, 2));
}

gboolean tracer_memory_print(const Printer *printer, const char *text, const char *by,
			     GError **error)
{
	const char *const params[] = { ":by", by, NULL };
	g_autoptr(StoreRows) rows = store_query_named(printer->db, "suspects_own", params, error);
	g_autoptr(GString) sums = g_string_new(NULL);

	if (!rows)
		return FALSE;
	if (printer->json)
		return printer_rows(printer, "tracer", rows, error);
	while (store_rows_next(rows))
		append_kind(rows, sums);
	if (sums->len)
		fprintf(printer->out, "%s: %s)\n", text, sums->str);
	return store_rows_done(rows, error);
}
