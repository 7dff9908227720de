// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recursive descent that makes a tree of nodes in an array. What may be nested is bounded, so a
 * text of any length and depth is told wrong, never too deep for the stack.
 */
#include "report/stackexpr.h"

#include <string.h>

#define DEPTH_MAX	64	/* of "(" and "not" */
#define NAMES_MAX	64	/* different ones: bits of a word */
#define SHOWN_MAX	24	/* bytes of what an error shows */

G_DEFINE_QUARK(kmemtrace-stackexpr-error-quark, stackexpr_error)

typedef enum { OR, AND, NOT, NAME } Op;

typedef struct {
	Op op;
	guint left, right;	/* nodes; NOT has left alone, NAME a name there */
} Node;

struct StackExpr {
	GArray *nodes;		/* of Node; a node is behind those that are its parts */
	GPtrArray *names;	/* as written, each once */
	GPtrArray *globs;	/* of GPatternSpec, of the names */
	guint root;
};

typedef struct {
	const char *text, *at;
	guint depth;
	StackExpr *expr;
	GError **error;
} Parser;

static gboolean parse_or(Parser *parser, guint *node);

/* ---- errors ---- */

static gboolean fail(Parser *parser, const char *at, const char *what)
{
	g_autofree char *valid = g_utf8_make_valid(parser->text, at - parser->text);

	g_set_error(parser->error, STACKEXPR_ERROR, STACKEXPR_ERROR_SYNTAX, "column %ld: %s",
		    g_utf8_strlen(valid, -1) + 1, what);
	return FALSE;
}

static gsize word_length(const char *at)
{
	return strcspn(at, " \t\r\n\v\f()\"'");
}

static gboolean fail_expected(Parser *parser, const char *what)
{
	gsize len = MIN(MAX(word_length(parser->at), 1), SHOWN_MAX);
	g_autofree char *raw = g_strndup(parser->at, len);
	g_autofree char *valid = g_utf8_make_valid(raw, -1);
	g_autofree char *text = *parser->at ? g_strdup_printf("expected %s, not '%s'", what, valid)
					    : g_strdup_printf("expected %s, not the end", what);

	return fail(parser, parser->at, text);
}

/* ---- words ---- */

static void skip_blanks(Parser *parser)
{
	parser->at += strspn(parser->at, " \t\r\n\v\f");
}

static gboolean is_word(const Parser *parser, const char *word)
{
	return word_length(parser->at) == strlen(word) &&
	       !strncmp(parser->at, word, strlen(word));
}

/* Skips blanks, and @word if it is there. */
static gboolean accept_word(Parser *parser, const char *word)
{
	skip_blanks(parser);
	if (!is_word(parser, word))
		return FALSE;
	parser->at += strlen(word);
	return TRUE;
}

static gboolean accept(Parser *parser, char c)
{
	skip_blanks(parser);
	if (*parser->at != c)
		return FALSE;
	parser->at++;
	return TRUE;
}

static guint add_node(Parser *parser, Op op, guint left, guint right)
{
	Node node = { .op = op, .left = left, .right = right };

	g_array_append_val(parser->expr->nodes, node);
	return parser->expr->nodes->len - 1;
}

/* The name of @len bytes at @at, which is looked up or made. */
static gboolean add_name(Parser *parser, const char *at, gsize len, guint *node)
{
	g_autofree char *name = g_strndup(at, len);
	GPtrArray *names = parser->expr->names;
	guint i = 0;

	if (!g_utf8_validate(name, -1, NULL))
		return fail(parser, at, "this name is no UTF-8");
	while (i < names->len && strcmp(g_ptr_array_index(names, i), name))
		i++;
	if (i == NAMES_MAX)
		return fail(parser, at, "more than 64 different names");
	if (i == names->len) {
		g_ptr_array_add(parser->expr->globs, g_pattern_spec_new(name));
		g_ptr_array_add(names, g_steal_pointer(&name));
	}
	*node = add_node(parser, NAME, i, 0);
	return TRUE;
}

static gboolean parse_quoted(Parser *parser, guint *node)
{
	const char *start = parser->at, *end = strchr(start + 1, *start);

	if (!end)
		return fail(parser, start, "this name has no second quote");
	if (end == start + 1)
		return fail(parser, start, "an empty name");
	parser->at = end + 1;
	return add_name(parser, start + 1, end - start - 1, node);
}

static gboolean parse_name(Parser *parser, guint *node)
{
	const char *start = parser->at;
	gsize len = word_length(start);

	if (*start == '"' || *start == '\'')
		return parse_quoted(parser, node);
	if (!len || is_word(parser, "and") || is_word(parser, "or"))
		return fail_expected(parser, "a name, 'not' or '('");
	parser->at += len;
	return add_name(parser, start, len, node);
}

/* ---- expressions ---- */

static gboolean parse_term(Parser *parser, guint *node)
{
	gboolean fine;

	skip_blanks(parser);
	if (parser->depth == DEPTH_MAX)
		return fail(parser, parser->at, "more than 64 of 'not' and '(' in each other");
	parser->depth++;
	if (accept_word(parser, "not")) {
		fine = parse_term(parser, node);
		if (fine)
			*node = add_node(parser, NOT, *node, 0);
	} else if (accept(parser, '(')) {
		fine = parse_or(parser, node) &&
		       (accept(parser, ')') || fail_expected(parser, "'and', 'or' or ')'"));
	} else {
		fine = parse_name(parser, node);
	}
	parser->depth--;
	return fine;
}

/* Parts of one sort with @word between them. */
static gboolean parse_list(Parser *parser, Op op, const char *word,
			   gboolean (*part)(Parser *parser, guint *node), guint *node)
{
	if (!part(parser, node))
		return FALSE;
	while (accept_word(parser, word)) {
		guint right;

		if (!part(parser, &right))
			return FALSE;
		*node = add_node(parser, op, *node, right);
	}
	return TRUE;
}

static gboolean parse_and(Parser *parser, guint *node)
{
	return parse_list(parser, AND, "and", parse_term, node);
}

static gboolean parse_or(Parser *parser, guint *node)
{
	return parse_list(parser, OR, "or", parse_and, node);
}

StackExpr *stackexpr_parse(const char *text, GError **error)
{
	g_autoptr(StackExpr) expr = g_new0(StackExpr, 1);
	Parser parser = { .text = text, .at = text, .expr = expr, .error = error };

	expr->nodes = g_array_new(FALSE, FALSE, sizeof(Node));
	expr->names = g_ptr_array_new_with_free_func(g_free);
	expr->globs = g_ptr_array_new_with_free_func((GDestroyNotify)g_pattern_spec_free);
	if (!parse_or(&parser, &expr->root))
		return NULL;
	skip_blanks(&parser);
	if (*parser.at) {
		fail_expected(&parser, "'and', 'or' or the end");
		return NULL;
	}
	return g_steal_pointer(&expr);
}

void stackexpr_free(StackExpr *expr)
{
	if (!expr)
		return;
	g_array_unref(expr->nodes);
	g_ptr_array_unref(expr->names);
	g_ptr_array_unref(expr->globs);
	g_free(expr);
}

guint64 stackexpr_names(const StackExpr *expr, const char *text)
{
	guint64 names = 0;

	for (guint i = 0; i < expr->globs->len; i++) {
		if (g_pattern_spec_match_string(g_ptr_array_index(expr->globs, i), text))
			names |= G_GUINT64_CONSTANT(1) << i;
	}
	return names;
}

/* A node comes behind its parts, so one way through the array does it, however deep they are. */
gboolean stackexpr_holds(const StackExpr *expr, guint64 names)
{
	g_autofree gboolean *holds = g_new(gboolean, expr->nodes->len);

	for (guint i = 0; i < expr->nodes->len; i++) {
		const Node *node = &g_array_index(expr->nodes, Node, i);

		switch (node->op) {
		case OR:
			holds[i] = holds[node->left] || holds[node->right];
			break;
		case AND:
			holds[i] = holds[node->left] && holds[node->right];
			break;
		case NOT:
			holds[i] = !holds[node->left];
			break;
		case NAME:
			holds[i] = names >> node->left & 1;
			break;
		}
	}
	return holds[expr->root];
}
