// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/lifetimes/churn.h"

#include "report/print/interval.h"

/* Reads the duration in nanoseconds. For g_free(). */
static gboolean read_span(const Printer *printer, char **span, GError **error)
{
	const Selection *selection = printer->selection;
	gint64 ns;

	if (selection_has_interval(selection))
		ns = selection->to_ns - selection->from_ns;
	else if (!interval_span(printer->db, &ns, error))
		return FALSE;
	*span = g_strdup_printf("%" G_GINT64_FORMAT, MAX(ns, 1));
	return TRUE;
}

/* Allocations that were not traced don't count as further ones. */
static gboolean print_lack(const Printer *printer, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(printer->db, "churn_lacks", NULL, error);

	if (rows && store_rows_int(rows, 0))
		printer_note(
			printer,
			"too many are temporary: allocations that a filter or the sample left out would count as further ones");
	return rows != NULL;
}

gboolean churn_print(const Printer *printer, gconstpointer data, GError **error)
{
	const ChurnOptions *options = data;
	g_autofree char *limit = g_strdup_printf("%d", options->limit);
	g_autofree char *within = g_strdup_printf("%d", options->within);
	g_autofree char *span = NULL;
	g_autofree char *title = g_strdup_printf(
		"Temporary: freed before %s further allocation%s of the same thread", within,
		options->within == 1 ? "" : "s");
	const char *params[] = { ":temporary", "0",           ":limit", limit, ":within", within,
				 ":site",      options->site, ":span",  NULL,  NULL };

	if (!read_span(printer, &span, error) || !store_restrict_temporaries(printer->db, error))
		return FALSE;
	params[9] = span;
	if (!printer_table(printer, "frequent", "Most frequent allocations, by call site", "churn",
			   params, error))
		return FALSE;
	params[1] = "1";
	if (!printer_table(printer, "temporary", title, "churn", params, error))
		return FALSE;
	printer_note(
		printer,
		"allocations of interrupts are compared with those of interrupts on the same CPU");
	return print_lack(printer, error);
}
