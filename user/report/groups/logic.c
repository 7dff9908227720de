// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/logic.h"

#include <string.h>

#define DEPTH_MAX 64

G_DEFINE_QUARK(kmemtrace - logic - error - quark, logic_error)

typedef enum { OR, AND, NOT, LEAF } Op;

typedef struct {
	Op op;
	guint left, right; /* nodes; NOT has only left, LEAF the number of its leaf there */
} Node;

struct Logic {
	GArray *nodes; /* of Node; a node follows its parts */
	guint root;
};

static gboolean parse_or(LogicParser *parser, guint *node);

gboolean logic_fail(LogicParser *parser, const char *at, const char *format, ...)
{
	g_autofree char *what = NULL;
	g_autofree char *valid = g_utf8_make_valid(parser->text, at - parser->text);
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(parser->error, LOGIC_ERROR, LOGIC_ERROR_SYNTAX, "column %ld: %s",
		    g_utf8_strlen(valid, -1) + 1, what);
	return FALSE;
}

/* ---- words ---- */

void logic_skip_blanks(LogicParser *parser)
{
	parser->at += strspn(parser->at, LOGIC_BLANKS);
}

gboolean logic_is_word(const LogicParser *parser, const char *word)
{
	gsize len = strlen(word);

	return parser->syntax->word_length(parser->at) == len && !strncmp(parser->at, word, len);
}

gboolean logic_accept_word(LogicParser *parser, const char *word)
{
	logic_skip_blanks(parser);
	if (!logic_is_word(parser, word))
		return FALSE;
	parser->at += strlen(word);
	return TRUE;
}

gboolean logic_accept(LogicParser *parser, char c)
{
	logic_skip_blanks(parser);
	if (*parser->at != c)
		return FALSE;
	parser->at++;
	return TRUE;
}

/* ---- the tree ---- */

static guint add_node(LogicParser *parser, Op op, guint left, guint right)
{
	Node node = { .op = op, .left = left, .right = right };

	g_array_append_val(parser->logic->nodes, node);
	return parser->logic->nodes->len - 1;
}

static gboolean parse_inner(LogicParser *parser, guint *node)
{
	const LogicSyntax *syntax = parser->syntax;
	guint part;

	if (logic_accept(parser, '('))
		return parse_or(parser, node) && (logic_accept(parser, ')') ||
						  syntax->fail_expected(parser, syntax->closing));
	if (!syntax->read_leaf(parser, &part))
		return FALSE;
	*node = add_node(parser, LEAF, part, 0);
	return TRUE;
}

static gboolean parse_term(LogicParser *parser, guint *node)
{
	gboolean fine;
	guint part;

	logic_skip_blanks(parser);
	if (parser->depth == DEPTH_MAX)
		return logic_fail(parser, parser->at, "'not' and '(' are nested deeper than %d",
				  DEPTH_MAX);
	parser->depth++;
	if (logic_accept_word(parser, "not")) {
		fine = parse_term(parser, &part);
		if (fine)
			*node = add_node(parser, NOT, part, 0);
	} else {
		fine = parse_inner(parser, node);
	}
	parser->depth--;
	return fine;
}

/* Parses parts of one kind separated by @word. */
static gboolean parse_list(LogicParser *parser, Op op, const char *word,
			   gboolean (*part)(LogicParser *parser, guint *node), guint *node)
{
	guint right;

	if (!part(parser, node))
		return FALSE;
	while (logic_accept_word(parser, word)) {
		if (!part(parser, &right))
			return FALSE;
		*node = add_node(parser, op, *node, right);
	}
	return TRUE;
}

static gboolean parse_and(LogicParser *parser, guint *node)
{
	return parse_list(parser, AND, "and", parse_term, node);
}

static gboolean parse_or(LogicParser *parser, guint *node)
{
	return parse_list(parser, OR, "or", parse_and, node);
}

static gboolean parse_all(LogicParser *parser)
{
	if (!parse_or(parser, &parser->logic->root))
		return FALSE;
	logic_skip_blanks(parser);
	return !*parser->at || parser->syntax->fail_expected(parser, "'and', 'or' or the end");
}

Logic *logic_parse(const LogicSyntax *syntax, const char *text, gpointer data, GError **error)
{
	Logic *logic = g_new0(Logic, 1);
	LogicParser parser = { .syntax = syntax,
			       .text = text,
			       .at = text,
			       .data = data,
			       .logic = logic,
			       .error = error };

	logic->nodes = g_array_new(FALSE, FALSE, sizeof(Node));
	if (!parse_all(&parser))
		g_clear_pointer(&logic, logic_free);
	return logic;
}

void logic_free(Logic *logic)
{
	if (!logic)
		return;
	g_array_unref(logic->nodes);
	g_free(logic);
}

/* ---- evaluation ---- */

/* @decides: the result of one side that is sufficient. */
static LogicResult join(LogicResult left, LogicResult right, LogicResult decides)
{
	if (left == decides || right == decides)
		return decides;
	return left == LOGIC_UNKNOWN ? left : right;
}

/* A node follows its parts, so one pass through the array evaluates it, however deep they are. */
LogicResult logic_holds(const Logic *logic, LogicResult (*holds)(guint leaf, gconstpointer data),
			gconstpointer data)
{
	g_autofree LogicResult *results = g_new(LogicResult, logic->nodes->len);

	for (guint i = 0; i < logic->nodes->len; i++) {
		const Node *node = &g_array_index(logic->nodes, Node, i);

		switch (node->op) {
		case OR:
			results[i] = join(results[node->left], results[node->right], LOGIC_TRUE);
			break;
		case AND:
			results[i] = join(results[node->left], results[node->right], LOGIC_FALSE);
			break;
		case NOT:
			results[i] = results[node->left] == LOGIC_UNKNOWN ? LOGIC_UNKNOWN
									  : !results[node->left];
			break;
		case LEAF:
			results[i] = holds(node->left, data);
			break;
		}
	}
	return results[logic->root];
}
