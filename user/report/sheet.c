// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sheet.h"

#include "report/rows.h"

static void print_text_head(const Trust *trust, gint64 sample, FILE *out)
{
	g_autofree char *summary = trust_summary(trust);
	const char *sure = trust_is_incomplete(trust) ? "" : "complete; no event was lost";

	fprintf(out, "Trust: %s%s%s\n", sure, *sure && summary ? "; " : "", summary ? summary : "");
	if (sample > 1)
		fprintf(out,
			"  SAMPLED: one address in %" G_GINT64_FORMAT
			" was traced; counts and bytes are scaled\n",
			sample);
}

static const char *json_bool(gboolean value)
{
	return value ? "true" : "false";
}

static void print_json_head(const Trust *trust, gint64 sample, FILE *out)
{
	fprintf(out,
		"{\n\"trust\": {\"complete\":%s,\"lost_events\":%" G_GINT64_FORMAT
		",\"lost_subbufs\":%" G_GINT64_FORMAT
		",\"cut\":%s,\"left_out_bytes\":%" G_GINT64_FORMAT
		",\"lost_end\":%s,\"unseen\":\"%s\",\"sample\":%" G_GINT64_FORMAT "}",
		json_bool(!trust_is_incomplete(trust)), trust->lost_events, trust->lost_subbufs,
		json_bool(trust->cut), trust->left_out, json_bool(trust->lost_end), trust->unseen,
		sample);
}

static gboolean read_sample(StoreDb *db, gint64 *sample, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "sheet_sample", NULL, error);

	if (!rows || !store_rows_next(rows, error))
		return FALSE;
	*sample = store_rows_int(rows, 0);
	return TRUE;
}

gboolean sheet_begin(Sheet *sheet, StoreDb *db, gboolean json, FILE *out, GError **error)
{
	g_auto(Trust) trust = {0};
	gint64 sample = 1;

	*sheet = (Sheet){.db = db, .out = out, .json = json};
	if (!trust_read(db, &trust, error) || !read_sample(db, &sample, error))
		return FALSE;
	sheet->incomplete = trust_is_incomplete(&trust);
	if (json)
		print_json_head(&trust, sample, out);
	else
		print_text_head(&trust, sample, out);
	return TRUE;
}

gboolean sheet_table(const Sheet *sheet, const char *key, const char *title, const char *query,
		     const char *const *params, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(sheet->db, query, params, error);

	if (!rows)
		return FALSE;
	if (sheet->json)
		fprintf(sheet->out, ",\n\"%s\": ", key);
	else
		fprintf(sheet->out, "\n%s\n", title);
	return rows_print(rows, sheet->json ? ROWS_JSON : ROWS_REPORT, sheet->out, NULL, error);
}

void sheet_note(const Sheet *sheet, const char *text)
{
	if (!sheet->json)
		fprintf(sheet->out, "(%s)\n", text);
}

void sheet_end(const Sheet *sheet)
{
	if (sheet->json)
		fputs("\n}\n", sheet->out);
}
