// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/check/expr.h"

#include <math.h>
#include <string.h>

typedef enum { LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER_EQUAL, GREATER } Op;

typedef struct {
	gboolean is_figure;
	guint figure;  /* if it is a figure */
	double number; /* else */
	ExprUnit unit;
	gboolean bare; /* a number without a suffix */
	const char *start;
} Value;

typedef struct {
	Op op;
	Value values[2];
} Comparison;

struct Expr {
	Logic *logic;        /* its leaves are indexes in @comparisons */
	GArray *comparisons; /* of Comparison */
	GPtrArray *figures;  /* of ExprFigure */
};

/* Data of the parser. */
typedef struct {
	const ExprName *names;
	guint name_count;
	Expr *expr;
} Making;

/* ---- words ---- */

/* Returns the token at @at, for an error. */
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

static gboolean fail_expected(LogicParser *parser, const char *expected)
{
	g_autofree char *found = shown(parser->at);

	return logic_fail(parser, parser->at, "%s: expected %s", found, expected);
}

static gsize word_length(const char *at)
{
	gsize len = 0;

	while (g_ascii_isalnum(at[len]) || at[len] == '_')
		len++;
	return g_ascii_isdigit(*at) ? 0 : len;
}

/* ---- values ---- */

static gboolean take_suffix(Value *value, const char *suffix, gsize len)
{
	static const struct {
		const char *suffix;
		double factor;
		ExprUnit unit;
	} suffixes[] = {
		{ "K", 0x1p10, EXPR_BYTES }, { "M", 0x1p20, EXPR_BYTES },
		{ "G", 0x1p30, EXPR_BYTES }, { "k", 0x1p10, EXPR_BYTES },
		{ "ns", 1, EXPR_TIME },      { "us", 1e3, EXPR_TIME },
		{ "ms", 1e6, EXPR_TIME },    { "s", 1e9, EXPR_TIME },
		{ "m", 60e9, EXPR_TIME },    { "h", 3600e9, EXPR_TIME },
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

static gboolean parse_number(LogicParser *parser, Value *value)
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
		return logic_fail(parser, at + len,
				  "invalid unit '%.*s' (expected K, M, G, ns, us, ms, s, m or h)",
				  (int)MIN(suffix, 24), at + len);
	if (!(value->number < 9e18))
		return logic_fail(parser, at, "the number is too large");
	parser->at += len + suffix;
	return TRUE;
}

/* Parses the glob of site("…") or cache("…"), after its word. */
static gboolean parse_glob(LogicParser *parser, const char *word, const char **glob)
{
	const char *start = parser->at - strlen(word), *end;

	if (*glob)
		return logic_fail(parser, start, "a second %s()", word);
	if (!logic_accept(parser, '('))
		return fail_expected(parser, "(\"name\")");
	logic_skip_blanks(parser);
	if (*parser->at != '"')
		return fail_expected(parser, "a name in double quotes");
	end = strchr(parser->at + 1, '"');
	if (!end)
		return logic_fail(parser, parser->at, "this name lacks its closing quote");
	if (end == parser->at + 1)
		return logic_fail(parser, parser->at, "an empty name");
	if (!g_utf8_validate(parser->at + 1, end - parser->at - 1, NULL))
		return logic_fail(parser, parser->at, "this name is not valid UTF-8");
	*glob = g_strndup(parser->at + 1, end - parser->at - 1);
	parser->at = end + 1;
	return logic_accept(parser, ')') || fail_expected(parser, "')'");
}

static void free_figure(gpointer data)
{
	ExprFigure *figure = data;

	g_free((char *)figure->text);
	g_free((char *)figure->site);
	g_free((char *)figure->cache);
	g_free(figure);
}

static const ExprName *find_name(const Making *making, const char *at, gsize len)
{
	for (guint i = 0; i < making->name_count; i++) {
		const char *name = making->names[i].name;

		if (strlen(name) == len && !strncmp(name, at, len))
			return &making->names[i];
	}
	return NULL;
}

static gboolean parse_figure(LogicParser *parser, Value *value)
{
	const Making *making = parser->data;
	const char *start = parser->at, *end;
	gsize len = word_length(start);
	const ExprName *name = find_name(making, start, len);
	ExprFigure *figure;

	if (!name)
		return logic_fail(parser, start, "unknown figure '%.*s' (--list shows all)",
				  (int)MIN(len, 40), start);
	figure = g_new0(ExprFigure, 1);
	figure->name = name;
	value->is_figure = TRUE;
	value->figure = making->expr->figures->len;
	value->unit = name->unit;
	g_ptr_array_add(making->expr->figures, figure);
	parser->at = end = start + len;
	for (;;) {
		const char *before = parser->at;
		gboolean site = logic_accept_word(parser, "site");

		if (!site && !logic_accept_word(parser, "cache"))
			break;
		if (!name->by_origin)
			return logic_fail(
				parser, before + strspn(before, LOGIC_BLANKS),
				"%s is a figure of the whole trace, not of a site or a cache",
				name->name);
		if (!parse_glob(parser, site ? "site" : "cache",
				site ? &figure->site : &figure->cache))
			return FALSE;
		end = parser->at;
	}
	figure->text = g_strndup(start, end - start);
	return TRUE;
}

static gboolean parse_value(LogicParser *parser, Value *value)
{
	logic_skip_blanks(parser);
	*value = (Value){ .start = parser->at };
	if (g_ascii_isdigit(*parser->at))
		return parse_number(parser, value);
	if (word_length(parser->at))
		return parse_figure(parser, value);
	return fail_expected(parser, "a figure or a number");
}

/* ---- conditions ---- */

static gboolean parse_op(LogicParser *parser, Op *op)
{
	static const struct {
		const char *text;
		Op op;
	} ops[] = {
		{ "<=", LESS_EQUAL }, { ">=", GREATER_EQUAL }, { "!=", NOT_EQUAL }, { "==", EQUAL },
		{ "<", LESS },        { ">", GREATER },        { "=", EQUAL },
	};

	logic_skip_blanks(parser);
	for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
		if (!g_str_has_prefix(parser->at, ops[i].text))
			continue;
		parser->at += strlen(ops[i].text);
		*op = ops[i].op;
		return TRUE;
	}
	return fail_expected(parser, "<, <=, =, !=, >= or >");
}

/* Checks that the units match. 0 has every unit. A size is also accepted as a count: 10K events. */
static gboolean check_units(LogicParser *parser, const Value *left, const Value *right)
{
	gboolean left_time = left->unit == EXPR_TIME, right_time = right->unit == EXPR_TIME;

	if (left_time == right_time || (left->bare && left->number == 0) ||
	    (right->bare && right->number == 0))
		return TRUE;
	if (left->bare || right->bare)
		return logic_fail(
			parser, left->bare ? left->start : right->start,
			"a time is needed here: a number with the suffix ns, us, ms, s, m or h");
	return logic_fail(parser, right->start, "a time can only be compared with a time");
}

static gboolean parse_comparison(LogicParser *parser, guint *leaf)
{
	GArray *comparisons = ((const Making *)parser->data)->expr->comparisons;
	Comparison made = { .op = EQUAL };

	if (!parse_value(parser, &made.values[0]) || !parse_op(parser, &made.op) ||
	    !parse_value(parser, &made.values[1]) ||
	    !check_units(parser, &made.values[0], &made.values[1]))
		return FALSE;
	*leaf = comparisons->len;
	g_array_append_val(comparisons, made);
	return TRUE;
}

static const LogicSyntax syntax = { word_length, parse_comparison, fail_expected, "')'" };

Expr *expr_parse(const char *text, const ExprName *names, guint count, GError **error)
{
	g_autoptr(Expr) expr = g_new0(Expr, 1);
	Making making = { .names = names, .name_count = count, .expr = expr };

	expr->comparisons = g_array_new(FALSE, FALSE, sizeof(Comparison));
	expr->figures = g_ptr_array_new_with_free_func(free_figure);
	expr->logic = logic_parse(&syntax, text, &making, error);
	return expr->logic ? g_steal_pointer(&expr) : NULL;
}

void expr_free(Expr *expr)
{
	if (!expr)
		return;
	logic_free(expr->logic);
	g_array_unref(expr->comparisons);
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

/* ---- evaluation ---- */

typedef struct {
	const Expr *expr;
	const double *values;
} Evaluation;

static LogicResult compare(guint leaf, gconstpointer data)
{
	const Evaluation *evaluation = data;
	const Comparison *made = &g_array_index(evaluation->expr->comparisons, Comparison, leaf);
	double sides[2];

	for (guint i = 0; i < 2; i++)
		sides[i] = made->values[i].is_figure ? evaluation->values[made->values[i].figure]
						     : made->values[i].number;
	if (isnan(sides[0]) || isnan(sides[1]))
		return LOGIC_UNKNOWN;
	switch (made->op) {
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

LogicResult expr_holds(const Expr *expr, const double *values)
{
	const Evaluation evaluation = { expr, values };

	return logic_holds(expr->logic, compare, &evaluation);
}
