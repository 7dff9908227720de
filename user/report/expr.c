// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recursive descent that makes a tree of nodes in an array. What may be nested is bounded, so a
 * text of any length and depth is told wrong, never too deep for the stack.
 */
#include "report/expr.h"

#include <math.h>
#include <string.h>

#define DEPTH_MAX	64	/* of "(" and "not" */

G_DEFINE_QUARK(kmemtrace-expr-error-quark, expr_error)

typedef enum { OR, AND, NOT, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER_EQUAL, GREATER } Op;

typedef struct {
	gboolean is_figure;
	guint figure;		/* if it is one */
	double number;		/* else */
	ExprUnit unit;
	gboolean bare;		/* a number without a suffix */
	const char *start;
} Value;

typedef struct {
	Op op;
	guint left, right;	/* nodes; NOT has left alone */
	Value values[2];	/* comparisons alone */
} Node;

struct Expr {
	GArray *nodes;		/* of Node; a node is behind those that are its parts */
	GPtrArray *figures;	/* of ExprFigure */
	guint root;
};

typedef struct {
	const char *text, *at;
	const ExprName *names;
	guint name_count, depth;
	Expr *expr;
	GError **error;
} Parser;

static gboolean parse_or(Parser *parser, guint *node);

/* ---- errors ---- */

static gboolean fail(Parser *parser, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);

static gboolean fail(Parser *parser, const char *at, const char *format, ...)
{
	g_autofree char *what = NULL;
	g_autofree char *valid = g_utf8_make_valid(parser->text, at - parser->text);
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(parser->error, EXPR_ERROR, EXPR_ERROR_SYNTAX, "column %ld: %s",
		    g_utf8_strlen(valid, -1) + 1, what);
	return FALSE;
}

/* What stands at @at, for an error. */
static char *shown(const char *at)
{
	gsize len = 1;

	if (!*at)
		return g_strdup("the end");
	while (len < 24 && (g_ascii_isalnum(at[len - 1]) || at[len - 1] == '_') &&
	       (g_ascii_isalnum(at[len]) || at[len] == '_'))
		len++;
	if ((guchar)*at >= 0x80)
		return g_strdup("a letter that is not ASCII");
	return g_strdup_printf("'%.*s'", (int)len, at);
}

static gboolean fail_expected(Parser *parser, const char *expected)
{
	g_autofree char *found = shown(parser->at);

	return fail(parser, parser->at, "%s: expected %s", found, expected);
}

/* ---- words ---- */

static void skip_blanks(Parser *parser)
{
	while (g_ascii_isspace(*parser->at))
		parser->at++;
}

static gsize word_length(const char *at)
{
	gsize len = 0;

	while (g_ascii_isalnum(at[len]) || at[len] == '_')
		len++;
	return g_ascii_isdigit(*at) ? 0 : len;
}

static gboolean is_word(const char *at, const char *word)
{
	gsize len = word_length(at);

	return len && len == strlen(word) && !strncmp(at, word, len);
}

/* Skips blanks, and @word if it is there. */
static gboolean accept_word(Parser *parser, const char *word)
{
	skip_blanks(parser);
	if (!is_word(parser->at, word))
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

/* ---- values ---- */

static gboolean take_suffix(Value *value, const char *suffix, gsize len)
{
	static const struct {
		const char *suffix;
		double factor;
		ExprUnit unit;
	} suffixes[] = {
		{ "K", 0x1p10, EXPR_BYTES }, { "M", 0x1p20, EXPR_BYTES }, { "G", 0x1p30, EXPR_BYTES },
		{ "k", 0x1p10, EXPR_BYTES }, { "ns", 1, EXPR_TIME }, { "us", 1e3, EXPR_TIME },
		{ "ms", 1e6, EXPR_TIME }, { "s", 1e9, EXPR_TIME }, { "m", 60e9, EXPR_TIME },
		{ "h", 3600e9, EXPR_TIME },
	};

	for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		if (strlen(suffixes[i].suffix) != len || strncmp(suffix, suffixes[i].suffix, len))
			continue;
		value->number *= suffixes[i].factor;
		value->unit = suffixes[i].unit;
		return TRUE;
	}
	return FALSE;
}

static gboolean parse_number(Parser *parser, Value *value)
{
	const char *at = parser->at;
	gsize len = 0, suffix = 0;
	g_autofree char *digits = NULL;

	while (g_ascii_isdigit(at[len]))
		len++;
	if (at[len] == '.')
		for (len++; g_ascii_isdigit(at[len]); len++)
			;
	while (g_ascii_isalnum(at[len + suffix]) || at[len + suffix] == '_' ||
	       at[len + suffix] == '.')
		suffix++;
	digits = g_strndup(at, len);
	value->number = g_ascii_strtod(digits, NULL);
	value->bare = !suffix;
	if (suffix && !take_suffix(value, at + len, suffix))
		return fail(parser, at + len, "'%.*s' is no unit: expected K, M, G, ns, us, ms, s, m or h",
			    (int)MIN(suffix, 24), at + len);
	if (!(value->number < 9e18))
		return fail(parser, at, "the number is too large");
	parser->at += len + suffix;
	return TRUE;
}

/* The glob of site("…") or cache("…"), behind its word. */
static gboolean parse_glob(Parser *parser, const char *word, const char **glob)
{
	const char *start = parser->at - strlen(word), *end;

	if (*glob)
		return fail(parser, start, "a second %s()", word);
	if (!accept(parser, '('))
		return fail_expected(parser, "(\"name\")");
	skip_blanks(parser);
	if (*parser->at != '"')
		return fail_expected(parser, "a name in double quotes");
	end = strchr(parser->at + 1, '"');
	if (!end)
		return fail(parser, parser->at, "this name has no second quote");
	if (end == parser->at + 1)
		return fail(parser, parser->at, "an empty name");
	if (!g_utf8_validate(parser->at + 1, end - parser->at - 1, NULL))
		return fail(parser, parser->at, "this name is no UTF-8");
	*glob = g_strndup(parser->at + 1, end - parser->at - 1);
	parser->at = end + 1;
	return accept(parser, ')') || fail_expected(parser, "')'");
}

static void free_figure(gpointer data)
{
	ExprFigure *figure = data;

	g_free((char *)figure->text);
	g_free((char *)figure->site);
	g_free((char *)figure->cache);
	g_free(figure);
}

static const ExprName *find_name(const Parser *parser, gsize len)
{
	for (guint i = 0; i < parser->name_count; i++) {
		const char *name = parser->names[i].name;

		if (strlen(name) == len && !strncmp(name, parser->at, len))
			return &parser->names[i];
	}
	return NULL;
}

static gboolean parse_figure(Parser *parser, Value *value)
{
	const char *start = parser->at, *end;
	gsize len = word_length(start);
	const ExprName *name = find_name(parser, len);
	ExprFigure *figure;

	if (!name)
		return fail(parser, start, "there is no figure '%.*s': --list tells their names",
			    (int)MIN(len, 40), start);
	figure = g_new0(ExprFigure, 1);
	figure->name = name;
	value->is_figure = TRUE;
	value->figure = parser->expr->figures->len;
	value->unit = name->unit;
	g_ptr_array_add(parser->expr->figures, figure);
	parser->at = end = start + len;
	for (;;) {
		const char *before = parser->at;
		gboolean site = accept_word(parser, "site");

		if (!site && !accept_word(parser, "cache"))
			break;
		if (!name->by_origin)
			return fail(parser, before + strspn(before, " \t\r\n\v\f"),
				    "%s is of the whole trace, not of a site or a cache", name->name);
		if (!parse_glob(parser, site ? "site" : "cache", site ? &figure->site : &figure->cache))
			return FALSE;
		end = parser->at;
	}
	figure->text = g_strndup(start, end - start);
	return TRUE;
}

static gboolean parse_value(Parser *parser, Value *value)
{
	skip_blanks(parser);
	*value = (Value){ .start = parser->at };
	if (g_ascii_isdigit(*parser->at))
		return parse_number(parser, value);
	if (word_length(parser->at))
		return parse_figure(parser, value);
	return fail_expected(parser, "a figure or a number");
}

/* ---- conditions ---- */

static gboolean parse_op(Parser *parser, Op *op)
{
	static const struct {
		const char *text;
		Op op;
	} ops[] = {
		{ "<=", LESS_EQUAL }, { ">=", GREATER_EQUAL }, { "!=", NOT_EQUAL }, { "==", EQUAL },
		{ "<", LESS }, { ">", GREATER }, { "=", EQUAL },
	};

	skip_blanks(parser);
	for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
		if (!g_str_has_prefix(parser->at, ops[i].text))
			continue;
		parser->at += strlen(ops[i].text);
		*op = ops[i].op;
		return TRUE;
	}
	return fail_expected(parser, "<, <=, =, !=, >= or >");
}

/* 0 is 0 in every unit. A size suits a count as well: 10K events. */
static gboolean check_units(Parser *parser, const Value *left, const Value *right)
{
	gboolean left_time = left->unit == EXPR_TIME, right_time = right->unit == EXPR_TIME;

	if (left_time == right_time || (left->bare && left->number == 0) ||
	    (right->bare && right->number == 0))
		return TRUE;
	if (left->bare || right->bare)
		return fail(parser, left->bare ? left->start : right->start,
			    "a time is needed here: a number with ns, us, ms, s, m or h behind it");
	return fail(parser, right->start, "a time can't be compared with what is none");
}

static guint add_node(Parser *parser, const Node *node)
{
	g_array_append_vals(parser->expr->nodes, node, 1);
	return parser->expr->nodes->len - 1;
}

static gboolean parse_compare(Parser *parser, guint *node)
{
	Node compare = { .op = OR };

	if (!parse_value(parser, &compare.values[0]) || !parse_op(parser, &compare.op) ||
	    !parse_value(parser, &compare.values[1]) ||
	    !check_units(parser, &compare.values[0], &compare.values[1]))
		return FALSE;
	*node = add_node(parser, &compare);
	return TRUE;
}

static gboolean parse_term(Parser *parser, guint *node)
{
	const char *start;
	gboolean fine;

	skip_blanks(parser);
	start = parser->at;
	if (parser->depth == DEPTH_MAX)
		return fail(parser, start, "more than %d of 'not' and '(' in each other", DEPTH_MAX);
	parser->depth++;
	if (accept_word(parser, "not")) {
		Node not = { .op = NOT };

		fine = parse_term(parser, &not.left);
		if (fine)
			*node = add_node(parser, &not);
	} else if (accept(parser, '(')) {
		fine = parse_or(parser, node) && (accept(parser, ')') || fail_expected(parser, "')'"));
	} else {
		fine = parse_compare(parser, node);
	}
	parser->depth--;
	return fine;
}

/* Parts of one kind with @word between them. */
static gboolean parse_list(Parser *parser, Op op, const char *word,
			   gboolean (*part)(Parser *parser, guint *node), guint *node)
{
	if (!part(parser, node))
		return FALSE;
	while (accept_word(parser, word)) {
		Node joined = { .op = op, .left = *node };

		if (!part(parser, &joined.right))
			return FALSE;
		*node = add_node(parser, &joined);
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

Expr *expr_parse(const char *text, const ExprName *names, guint count, GError **error)
{
	g_autoptr(Expr) expr = g_new0(Expr, 1);
	Parser parser = { .text = text, .at = text, .names = names, .name_count = count,
			  .expr = expr, .error = error };

	expr->nodes = g_array_new(FALSE, FALSE, sizeof(Node));
	expr->figures = g_ptr_array_new_with_free_func(free_figure);
	if (!parse_or(&parser, &expr->root))
		return NULL;
	skip_blanks(&parser);
	if (*parser.at) {
		fail_expected(&parser, "'and', 'or' or the end");
		return NULL;
	}
	return g_steal_pointer(&expr);
}

void expr_free(Expr *expr)
{
	if (!expr)
		return;
	g_array_unref(expr->nodes);
	g_ptr_array_unref(expr->figures);
	g_free(expr);
}

guint expr_figures(const Expr *expr)
{
	return expr->figures->len;
}

const ExprFigure *expr_figure(const Expr *expr, guint index)
{
	return g_ptr_array_index(expr->figures, index);
}

/* ---- evaluate ---- */

static ExprResult compare(const Node *node, const double *values)
{
	double sides[2];

	for (guint i = 0; i < 2; i++)
		sides[i] = node->values[i].is_figure ? values[node->values[i].figure]
						     : node->values[i].number;
	if (isnan(sides[0]) || isnan(sides[1]))
		return EXPR_UNKNOWN;
	switch (node->op) {
	case LESS:
		return sides[0] < sides[1];
	case LESS_EQUAL:
		return sides[0] <= sides[1];
	case EQUAL:
		return sides[0] == sides[1];
	case NOT_EQUAL:
		return sides[0] != sides[1];
	case GREATER_EQUAL:
		return sides[0] >= sides[1];
	default:
		return sides[0] > sides[1];
	}
}

/* @decides: the side that is enough alone. */
static ExprResult join(ExprResult left, ExprResult right, ExprResult decides)
{
	if (left == decides || right == decides)
		return decides;
	return left == EXPR_UNKNOWN ? left : right;
}

/* A node comes behind its parts, so one way through the array does it, however deep they are. */
ExprResult expr_holds(const Expr *expr, const double *values)
{
	g_autofree ExprResult *holds = g_new(ExprResult, expr->nodes->len);

	for (guint i = 0; i < expr->nodes->len; i++) {
		const Node *node = &g_array_index(expr->nodes, Node, i);

		switch (node->op) {
		case OR:
			holds[i] = join(holds[node->left], holds[node->right], EXPR_TRUE);
			break;
		case AND:
			holds[i] = join(holds[node->left], holds[node->right], EXPR_FALSE);
			break;
		case NOT:
			holds[i] = holds[node->left] == EXPR_UNKNOWN ? EXPR_UNKNOWN
								     : !holds[node->left];
			break;
		default:
			holds[i] = compare(node, values);
		}
	}
	return holds[expr->root];
}
