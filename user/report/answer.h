/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every answer begins with, and the tables that it is made of. Text: the trace, whether it can
 * be trusted, and what it can't tell as nobody asked for it or nothing could see it. JSON: one
 * object, whose first members are "trust", as trust.sql has it, and the trace's "name"; each table
 * is a member. An interval that was asked for comes next: "between".
 */
#ifndef KMT_REPORT_ANSWER_H
#define KMT_REPORT_ANSWER_H

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "report/between.h"
#include "report/trust.h"

typedef struct {
	StoreDb *db;
	const char *name;	/* of the trace */
	FILE *out;
	gboolean json;
	const Between *between;	/* the interval that is asked about; NULL, or without names: none */
	Trust trust;
} Answer;

/* Prints the tables of an answer, whose head is there. @options are of the question. */
typedef gboolean (*AnswerFunc)(const Answer *answer, gconstpointer options, GError **error);

/*
 * All of it: the head, what @print prints, the end. At once, when all is known: an error leaves no
 * half of an answer. For answer_clear(), also then.
 */
gboolean answer_print(Answer *answer, AnswerFunc print, gconstpointer options, GError **error);

/* Prints the head. *@answer is the caller's, for answer_clear(), also after an error. */
gboolean answer_begin(Answer *answer, GError **error);
void answer_clear(Answer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Answer, answer_clear)

/* Text alone: that live is not leaked, and if something was not seen, that a free may be. */
void answer_say_live(const Answer *answer);

/*
 * The rows of the statement @sql with @params (as of store_query()). Text has @title above them,
 * if it isn't NULL, "nothing" if there is none; JSON has them as the member @key.
 */
gboolean answer_table(const Answer *answer, const char *key, const char *title, const char *sql,
		      const char *const *params, GError **error);

/* JSON alone, as members @key: all that is left of @rows; what was built. */
gboolean answer_rows(const Answer *answer, const char *key, StoreRows *rows, GError **error);
void answer_built(const Answer *answer, const char *key, JsonBuilder *json);

/* A line of text behind a table; nothing in JSON. */
void answer_note(const Answer *answer, const char *text);

/* The end of what answer_begin() began. */
void answer_end(const Answer *answer);

#endif
