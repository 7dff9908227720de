// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/lifetimes/churn.h"

#include "report/print/interval.h"
#include "report/print/temporaries.h"

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

gboolean churn_print(const Printer *printer, gconstpointer data, GError **error)
{
	const ChurnOptions *options = data;
	g_autofree char *limit = g_strdup_printf("%d", options->limit);
	g_autofree char *within = g_strdup_printf("%d", options->within);
	g_autofree char *span = NULL;
	g_autofree char *title = g_strdup_printf(
		"Temporary: freed before %s further allocation%s of the same thread", within,
		options->within == 1 ? "" : "s");
	const char *lack;
	const char *params[] = { ":temporary", "0",           ":limit", limit, ":within", within,
				 ":site",      options->site, ":span",  NULL,  NULL };

	if (!read_span(printer, &span, error) || !store_restrict_temporaries(printer->db, error) ||
	    !temporaries_note(printer->db, &lack, error))
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
	if (lack)
		printer_note(printer, lack);
	return TRUE;
}
