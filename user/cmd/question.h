/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that answer one question of a trace have in common.
 */
#ifndef KMT_CMD_QUESTION_H
#define KMT_CMD_QUESTION_H

#include "cmd/srcline.h"
#include "report/answer.h"

#define QUESTION_LIMIT	10	/* rows, if nothing else is asked for */

typedef struct {
	AnswerFunc print;
	gconstpointer options;	/* of @print */
	const char *site;	/* a function that has to be in the trace; NULL, "": none */
	gboolean json;
	const Srcline *srcline;	/* source lines in stacks, if it wants them; NULL: none */
	Between *between;	/* only what was allocated then; NULL, or without names: all */
} Question;

/*
 * FALSE, after saying what is wrong, if @limit rows are none or @by is none of @dimensions, which
 * ends with NULL.
 */
gboolean question_check(int limit, const char *by, const char *const *dimensions);

/* Opens the file that is left of the arguments, and prints the answer. An enum exit_code. */
int question_answer(int argc, char **argv, const Question *question);

/* The same of the trace or database @path. */
int question_answer_of(const char *path, const Question *question);

#endif
