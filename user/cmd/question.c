// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/question.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "report/site.h"

gboolean question_check(int limit, const char *by, const char *const *dimensions)
{
	g_autofree char *all = g_strjoinv(", ", (char **)dimensions);

	if (!options_check_rows(limit))
		return FALSE;
	if (g_strv_contains(dimensions, by))
		return TRUE;
	message("--by '%s' is none: expected one of %s", by, all);
	return FALSE;
}

/* Printed at once, when all of it is known: an error leaves no half of an answer. */
static gboolean print_whole(Answer *answer, QuestionFunc print, gconstpointer options,
			    GError **error)
{
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
	if (fine)
		fwrite(text, 1, len, stdout);
	free(text);
	return fine;
}

int question_answer(int argc, char **argv, const char *site, gboolean json, QuestionFunc print,
		    gconstpointer options)
{
	const Srcline none = { FALSE };

	return question_answer_lines(argc, argv, site, json, print, options, &none);
}

int question_answer_lines(int argc, char **argv, const char *site, gboolean json,
			  QuestionFunc print, gconstpointer options, const Srcline *srcline)
{
	Between none = { 0 };

	return question_answer_between(argc, argv, site, json, print, options, srcline, &none);
}

int question_answer_between(int argc, char **argv, const char *site, gboolean json,
			    QuestionFunc print, gconstpointer options, const Srcline *srcline,
			    Between *between)
{
	const char *path = options_one_file(argc, argv, source_default(NULL));
	g_autoptr(StoreDb) db = NULL;
	g_auto(Answer) answer = { .json = json, .between = between };
	GError *error = NULL;

	if (!path)
		return EXIT_USAGE;
	db = source_open(path, &error);
	answer.db = db;
	answer.name = path;
	if (!db || (*site && !site_check(db, site, &error)) || !srcline_open(srcline, db, &error) ||
	    !between_restrict(db, between, &error) ||
	    !print_whole(&answer, print, options, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the answer"))
		return EXIT_FAILED;
	return trust_is_incomplete(&answer.trust) ? EXIT_INCOMPLETE : EXIT_FINE;
}
