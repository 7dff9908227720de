// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/churn.h"

/* Of what is asked about, in nanoseconds. For g_free(). */
static gboolean read_span(const Answer *answer, char **span, GError **error)
{
	const Between *between = answer->between;
	gint64 ns;

	if (between && between->from)
		ns = between->to_ns - between->from_ns;
	else if (!between_span(answer->db, &ns, error))
		return FALSE;
	*span = g_strdup_printf("%" G_GINT64_FORMAT, MAX(ns, 1));
	return TRUE;
}

gboolean churn_print(const Answer *answer, gconstpointer data, GError **error)
{
	const ChurnOptions *options = data;
	g_autofree char *limit = g_strdup_printf("%d", options->limit);
	g_autofree char *within = g_strdup_printf("%d", options->within);
	g_autofree char *span = NULL;
	g_autofree char *title = g_strdup_printf(
		"Temporary: freed before %s further allocation%s of the same thread", within,
		options->within == 1 ? "" : "s");
	const char *params[] = {":limit", limit, ":within", within, ":site", options->site, ":span", NULL, NULL};

	if (!read_span(answer, &span, error) || !store_restrict_turns(answer->db, error))
		return FALSE;
	params[7] = span;
	if (!answer_table(answer, "frequent", "Most frequent, by call site", "churn_frequent", params,
			 error) ||
	    !answer_table(answer, "temporary", title, "churn_temporary", params, error))
		return FALSE;
	answer_note(
		answer,
		"what an interrupt allocates is compared with what interrupts of its CPU allocate");
	return TRUE;
}
