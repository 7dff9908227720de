// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/answer.h"

#include <stdlib.h>

#include "base/visible.h"
#include "report/jsontext.h"
#include "report/made.h"
#include "report/object.h"
#include "report/rows.h"

#define LIMITS_INDENT	2	/* spaces, below the trust */

/* The members that open the object. */
static gboolean print_trust(const Answer *answer, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(answer->db, "trust", NULL, error);
	g_autofree char *name = jsontext_quote(answer->name);

	if (!rows)
		return FALSE;
	fputs("{\n\"trust\": ", answer->out);
	if (!rows_print(rows, ROWS_JSON, answer->out, NULL, error))
		return FALSE;
	fprintf(answer->out, ",\n\"name\": %s", name);
	between_print(answer->between, TRUE, answer->out);
	return TRUE;
}

gboolean answer_begin(Answer *answer, GError **error)
{
	if (!trust_read(answer->db, &answer->trust, error))
		return FALSE;
	if (answer->json)
		return print_trust(answer, error);
	visible_print_line("Trace: ", answer->name, answer->out);
	trust_print(&answer->trust, 0, answer->out);
	between_print(answer->between, FALSE, answer->out);
	return made_print_limits(answer->db, LIMITS_INDENT, answer->out, error);
}

gboolean answer_print(Answer *answer, AnswerFunc print, gconstpointer options, GError **error)
{
	FILE *out = answer->out;
	char *text = NULL;
	size_t len = 0;
	gboolean fine;

	answer->out = open_memstream(&text, &len);
	if (!answer->out)
		g_error("no memory for an answer");
	fine = answer_begin(answer, error) && print(answer, options, error);
	if (fine)
		answer_end(answer);
	fclose(answer->out);
	answer->out = out;
	if (fine)
		fwrite(text, 1, len, out);
	free(text);
	return fine;
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
	if (answer->trust.unseen_frees[0])
		fprintf(answer->out, "Paths were UNSEEN: what is live (%s) may have been freed there\n",
			answer->trust.unseen_frees);
}

gboolean answer_table(const Answer *answer, const char *key, const char *title, const char *sql,
		      const char *const *params, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(answer->db, sql, params, error);

	if (!rows)
		return FALSE;
	if (answer->json)
		return answer_rows(answer, key, rows, error);
	if (title)
		fprintf(answer->out, "\n%s\n", title);
	return rows_print(rows, ROWS_REPORT, answer->out, NULL, error);
}

gboolean answer_rows(const Answer *answer, const char *key, StoreRows *rows, GError **error)
{
	fprintf(answer->out, ",\n\"%s\": ", key);
	return rows_print(rows, ROWS_JSON, answer->out, NULL, error);
}

void answer_built(const Answer *answer, const char *key, JsonBuilder *json)
{
	fprintf(answer->out, ",\n\"%s\": ", key);
	object_print(json, answer->out);
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
