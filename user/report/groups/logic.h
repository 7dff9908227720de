/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of the languages of conditions: words and parentheses around leaves, which each
 * language parses itself.
 *
 * condition = and-term { "or" and-term }
 * and-term  = term { "and" term }
 * term      = "not" term | "(" condition ")" | leaf
 *
 * A recursive descent builds a tree of nodes in an array. Nesting is bounded, so text of any length
 * and depth is an error at worst, never too deep for the stack.
 */
#ifndef KMT_REPORT_GROUPS_LOGIC_H
#define KMT_REPORT_GROUPS_LOGIC_H

#include <glib.h>

#define LOGIC_BLANKS " \t\r\n\v\f"

#define LOGIC_ERROR (logic_error_quark())
GQuark logic_error_quark(void);

typedef enum { LOGIC_ERROR_SYNTAX } LogicError;

typedef struct Logic Logic;
typedef struct LogicParser LogicParser;

/* A language. Functions set errors with logic_fail(). */
typedef struct {
	gsize (*word_length)(const char *at); /* bytes of the word at @at; 0: none */
	/* Reads the leaf at @parser->at, after blanks, and returns its number. */
	gboolean (*read_leaf)(LogicParser *parser, guint *leaf);
	/* Fails: there is something else than @expected at @parser->at. */
	gboolean (*fail_expected)(LogicParser *parser, const char *expected);
	const char *closing; /* expected instead of a missing ")" */
} LogicSyntax;

struct LogicParser {
	const LogicSyntax *syntax;
	const char *text, *at;
	gpointer data; /* the language's */
	guint depth;   /* of nested "(" and "not" */
	Logic *logic;
	GError **error;
};

/* Parses all of @text. NULL with an error, which has the column (from 1 on, in characters). */
Logic *logic_parse(const LogicSyntax *syntax, const char *text, gpointer data, GError **error);
void logic_free(Logic *logic); /* NULL is allowed */

/* Sets the error with the column of @at, and returns FALSE. */
gboolean logic_fail(LogicParser *parser, const char *at, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

void logic_skip_blanks(LogicParser *parser);

/* Returns whether @word is at @parser->at. */
gboolean logic_is_word(const LogicParser *parser, const char *word);

/* Skip blanks, and @word or @c if present: TRUE. */
gboolean logic_accept_word(LogicParser *parser, const char *word);
gboolean logic_accept(LogicParser *parser, char c);

typedef enum { LOGIC_FALSE, LOGIC_TRUE, LOGIC_UNKNOWN } LogicResult;

/*
 * Evaluates it; @holds evaluates its leaves with @data. "and" and "or" stop when one side decides.
 */
LogicResult logic_holds(const Logic *logic, LogicResult (*holds)(guint leaf, gconstpointer data),
			gconstpointer data);

#endif
