// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/question.h"

#include <stdio.h>

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
	message("invalid --by '%s' (expected %s)", by, all);
	return FALSE;
}

static gboolean prepare(StoreDb *db, const Question *question, GError **error)
{
	const char *site = question->site;

	return (!site || !*site || site_check(db, site, error)) &&
	       (!question->srcline || srcline_open(question->srcline, db, error)) &&
	       between_restrict(db, question->between, error);
}

int question_answer(int argc, char **argv, const Question *question)
{
	const char *path = options_one_file(argc, argv, source_default(NULL));

	return path ? question_answer_of(path, question) : EXIT_USAGE;
}

int question_answer_of(const char *path, const Question *question)
{
	GError *error = NULL;
	g_autoptr(StoreDb) db = source_open(path, &error);
	g_auto(Answer) answer = { .db = db, .name = path, .out = stdout, .json = question->json,
				  .between = question->between };

	if (!db || !prepare(db, question, &error) ||
	    !answer_print(&answer, question->print, question->options, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the answer"))
		return EXIT_FAILED;
	return trust_is_incomplete(&answer.trust) ? EXIT_INCOMPLETE : EXIT_FINE;
}
