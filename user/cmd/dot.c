// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/dot.h"

#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/newfile.h"
#include "cmd/options.h"
#include "cmd/source.h"

typedef struct {
	Answer *answer;
	CallDot dot;
	CallDotNotes notes;
} Printing;

static FILE *open_memory(char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);

	if (!out)
		g_error("no memory for an answer");
	return out;
}

/* The head of an answer as a text; for free(), also if it is FALSE. */
static gboolean read_head(Answer *answer, char **head, GError **error)
{
	size_t len;
	gboolean fine;

	answer->out = open_memory(head, &len);
	fine = answer_begin(answer, error);
	fclose(answer->out);
	return fine;
}

/* At once, when all of it is known: an error leaves no half of a graph. */
static gboolean print(gpointer data, FILE *out, GError **error)
{
	Printing *printing = data;
	char *text = NULL;
	size_t len = 0;
	FILE *memory = open_memory(&text, &len);
	gboolean fine = calldot_print(printing->answer->db, &printing->dot, memory,
				      &printing->notes, error);

	fclose(memory);
	if (fine)
		fwrite(text, 1, len, out);
	free(text);
	return fine;
}

static void say_notes(const CallDotNotes *notes, const char *head)
{
	fputs(head, stderr);
	if (notes->cut)
		message("%s", notes->cut);
	if (*notes->others)
		message("the graph shows one kind of memory; others have graphs of their own: --kind %s",
			notes->others);
}

static gboolean print_all(Answer *answer, const DotAsked *asked, GError **error)
{
	char *head = NULL;
	Printing printing = { .answer = answer };
	gboolean fine = read_head(answer, &head, error);

	printing.dot = (CallDot){ asked->options, head, asked->chosen };
	fine = fine && newfile_write(NULL, "dot", print, &printing, error);
	if (fine)
		say_notes(&printing.notes, head);
	calldot_clear_notes(&printing.notes);
	free(head);
	return fine;
}

int dot_answer(int argc, char **argv, const DotAsked *asked)
{
	const char *path = options_one_file(argc, argv, source_default(NULL));
	g_autoptr(StoreDb) db = NULL;
	g_auto(Answer) answer = { .between = asked->between };
	GError *error = NULL;

	if (!path)
		return EXIT_USAGE;
	answer.db = db = source_open(path, &error);
	answer.name = path;
	if (!db || !srcline_open(asked->srcline, db, &error) ||
	    !between_restrict(db, asked->between, &error) || !print_all(&answer, asked, &error))
		return message_failed(error);
	return trust_is_incomplete(&answer.trust) ? EXIT_INCOMPLETE : EXIT_FINE;
}
