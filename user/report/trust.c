// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/trust.h"

#include "base/units.h"

/* Columns of trust.sql. */
enum {
	LOST_EVENTS,
	LOST_SUBBUFS,
	CUT,
	CUT_OFFSET,
	RECOVERED_BYTES,
	RECOVERED_PLACES,
	RECOVERED_END,
	UNSEEN,
};

gboolean trust_read(StoreDb *db, Trust *trust, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "trust", NULL, error);

	*trust = (Trust){ 0 };
	if (!rows || !store_rows_next(rows, error))
		return FALSE;
	trust->lost_events = store_rows_int(rows, LOST_EVENTS);
	trust->lost_subbufs = store_rows_int(rows, LOST_SUBBUFS);
	trust->cut = store_rows_int(rows, CUT) != 0;
	trust->cut_offset = store_rows_int(rows, CUT_OFFSET);
	trust->left_out = store_rows_int(rows, RECOVERED_BYTES);
	trust->left_out_places = store_rows_int(rows, RECOVERED_PLACES);
	trust->lost_end = store_rows_int(rows, RECOVERED_END) == 0;
	trust->unseen = g_strdup(store_rows_text(rows, UNSEEN));
	return TRUE;
}

void trust_clear(Trust *trust)
{
	g_clear_pointer(&trust->unseen, g_free);
}

gboolean trust_is_incomplete(const Trust *trust)
{
	return trust->lost_events || trust->lost_subbufs || trust->cut || trust->left_out ||
	       trust->lost_end;
}

static void add_count(GPtrArray *parts, gint64 count, const char *text)
{
	g_autofree char *number = units_format_count(count);

	if (count)
		g_ptr_array_add(parts, g_strdup_printf("%s %s", number, text));
}

/* What is missing, a part each; none if nothing is. */
static GPtrArray *missing_parts(const Trust *trust)
{
	GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);

	add_count(parts, trust->lost_events, "events were lost");
	add_count(parts, trust->lost_subbufs, "sub-buffers are missing");
	if (trust->cut)
		g_ptr_array_add(parts, g_strdup_printf("the trace is cut at byte %" G_GINT64_FORMAT,
						       trust->cut_offset));
	add_count(parts, trust->left_out, "damaged bytes were left out");
	if (trust->lost_end)
		g_ptr_array_add(parts, g_strdup("the recording's end is missing"));
	return parts;
}

static char *join(GPtrArray *parts)
{
	g_ptr_array_add(parts, NULL);
	return g_strjoinv("; ", (char **)parts->pdata);
}

void trust_print(const Trust *trust, int indent, FILE *out)
{
	g_autoptr(GPtrArray) parts = missing_parts(trust);
	g_autofree char *text = join(parts);

	fprintf(out, "%*sTrust: ", indent, "");
	if (trust_is_incomplete(trust))
		fprintf(out, "INCOMPLETE: %s: what is live may have been freed unseen\n", text);
	else
		fputs("complete; no event was lost\n", out);
}

char *trust_summary(const Trust *trust)
{
	g_autoptr(GPtrArray) parts = missing_parts(trust);
	g_autofree char *text = NULL;

	if (trust->unseen[0])
		g_ptr_array_add(parts, g_strdup_printf("unseen: %s", trust->unseen));
	if (!parts->len)
		return NULL;
	text = join(parts);
	return g_strdup_printf("%s%s", trust_is_incomplete(trust) ? "INCOMPLETE: " : "", text);
}
