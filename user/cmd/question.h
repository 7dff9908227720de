/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that answer one question of a trace have in common.
 */
#ifndef KMT_CMD_QUESTION_H
#define KMT_CMD_QUESTION_H

#include "cmd/srcline.h"
#include "report/answer.h"

#define QUESTION_LIMIT	10	/* rows, if nothing else is asked for */

/* Prints the tables of an answer. @options are the command's. */
typedef gboolean (*QuestionFunc)(const Answer *answer, gconstpointer options, GError **error);

/*
 * FALSE, after saying what is wrong, if @limit rows are none or @by is none of @dimensions, which
 * ends with NULL.
 */
gboolean question_check(int limit, const char *by, const char *const *dimensions);

/*
 * Opens the file that is left of the arguments, and prints the answer. @site: a function that has
 * to be in the trace, or "". An enum exit_code.
 */
int question_answer(int argc, char **argv, const char *site, gboolean json, QuestionFunc print,
		    gconstpointer options);

/* The same with source lines in stacks, if @srcline wants them. */
int question_answer_lines(int argc, char **argv, const char *site, gboolean json,
			  QuestionFunc print, gconstpointer options, const Srcline *srcline);

/* The same of what was allocated in an interval alone, if @between has names. */
int question_answer_between(int argc, char **argv, const char *site, gboolean json,
			    QuestionFunc print, gconstpointer options, const Srcline *srcline,
			    Between *between);

#endif
