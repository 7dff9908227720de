// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/answer.h"

#include "base/units.h"
#include "report/rows.h"

static gboolean read_scale(Answer *answer, gint64 *factor, GError **error)
{
	g_autoptr(StoreRows) rows =
		store_query(answer->db, "SELECT factor FROM scale", NULL, error);

	*factor = 1;
	if (!rows || !store_rows_next(rows, error))
		return FALSE;
	*factor = store_rows_int(rows, 0);
	return TRUE;
}

static gboolean print_head(Answer *answer, GError **error)
{
	g_autofree char *summary = trust_summary(&answer->trust);
	g_autofree char *number = NULL;
	gint64 factor;

	if (!read_scale(answer, &factor, error))
		return FALSE;
	number = units_format_count(factor);
	fprintf(answer->out, "Trace: %s\nTrust: %s\n", answer->name,
		summary ? summary : "complete; no event was lost");
	between_print(answer->between, FALSE, answer->out);
	if (factor > 1)
		fprintf(answer->out,
			"  1 in %s SAMPLED: counts and bytes below are scaled by %s, shapes are of the sample\n",
			number, number);
	return TRUE;
}

gboolean answer_begin(Answer *answer, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;

	if (!trust_read(answer->db, &answer->trust, error))
		return FALSE;
	if (!answer->json)
		return print_head(answer, error);
	rows = store_query_named(answer->db, "trust", NULL, error);
	if (!rows)
		return FALSE;
	fputs("{\n\"trust\": ", answer->out);
	if (!rows_print(rows, ROWS_JSON, answer->out, NULL, error))
		return FALSE;
	between_print(answer->between, TRUE, answer->out);
	return TRUE;
}

void answer_clear(Answer *answer)
{
	trust_clear(&answer->trust);
}

void answer_say_live(const Answer *answer)
{
	if (answer->json)
		return;
	fputs("Live is not leaked: the trace ended before it was freed\n",
	      answer->out);
	if (trust_is_incomplete(&answer->trust))
		fputs("Events are MISSING: what is live may have been freed, and its free be lost\n",
		      answer->out);
	else if (answer->trust.unseen[0])
		fputs("Paths were UNSEEN: what is live may have been freed there\n", answer->out);
}

gboolean answer_table(const Answer *answer, const char *key, const char *title, const char *sql,
		      const char *const *params, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(answer->db, sql, params, error);

	if (!rows)
		return FALSE;
	if (answer->json)
		fprintf(answer->out, ",\n\"%s\": ", key);
	else if (title)
		fprintf(answer->out, "\n%s\n", title);
	return rows_print(rows, answer->json ? ROWS_JSON : ROWS_REPORT, answer->out, NULL, error);
}

void answer_note(const Answer *answer, const char *text)
{
	if (!answer->json)
		fprintf(answer->out, "(%s)\n", text);
}

void answer_end(const Answer *answer)
{
	if (answer->json)
		fputs("\n}\n", answer->out);
}
