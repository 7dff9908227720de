// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/stackexpr.h"

#include <string.h>

#include "base/glob.h"
#include "symbols/symbols.h"

#define NAMES_MAX 64 /* different ones: bits of a word */
#define SHOWN_MAX 24 /* bytes displayed in an error */

struct StackExpr {
	Logic *logic;     /* its leaves are */
	GPtrArray *names; /* as given, each once */
	GPtrArray *globs; /* of GPatternSpec, by name */
	gboolean is_plain;
};

static gsize word_length(const char *at)
{
	return strcspn(at, LOGIC_BLANKS "()\"'");
}

static gboolean fail_expected(LogicParser *parser, const char *expected)
{
	gsize len = MIN(MAX(word_length(parser->at), 1), SHOWN_MAX);
	g_autofree char *raw = g_strndup(parser->at, len);
	g_autofree char *valid = g_utf8_make_valid(raw, -1);

	if (!*parser->at)
		return logic_fail(parser, parser->at, "expected %s, not the end", expected);
	return logic_fail(parser, parser->at, "expected %s, not '%s'", expected, valid);
}

/* Looks up or adds the name of @len bytes at @at. */
static gboolean add_name(LogicParser *parser, const char *at, gsize len, guint *leaf)
{
	g_autofree char *name = g_strndup(at, len);
	StackExpr *expr = parser->data;
	GPtrArray *names = expr->names;
	guint i = 0;

	if (!g_utf8_validate(name, -1, NULL))
		return logic_fail(parser, at, "this name is not valid UTF-8");
	while (i < names->len && strcmp(g_ptr_array_index(names, i), name))
		i++;
	if (i == NAMES_MAX)
		return logic_fail(parser, at, "more than %d different names", NAMES_MAX);
	if (i == names->len) {
		g_ptr_array_add(expr->globs, glob_new(name));
		g_ptr_array_add(names, g_steal_pointer(&name));
	}
	*leaf = i;
	return TRUE;
}

static gboolean parse_quoted(LogicParser *parser, guint *leaf)
{
	const char *start = parser->at, *end = strchr(start + 1, *start);

	if (!end)
		return logic_fail(parser, start, "this name lacks its closing quote");
	if (end == start + 1)
		return logic_fail(parser, start, "an empty name");
	parser->at = end + 1;
	return add_name(parser, start + 1, end - start - 1, leaf);
}

static gboolean parse_name(LogicParser *parser, guint *leaf)
{
	const char *start = parser->at;
	gsize len = word_length(start);

	if (*start == '"' || *start == '\'')
		return parse_quoted(parser, leaf);
	if (!len || logic_is_word(parser, "and") || logic_is_word(parser, "or"))
		return fail_expected(parser, "a name, 'not' or '('");
	parser->at += len;
	return add_name(parser, start, len, leaf);
}

static const LogicSyntax syntax = { word_length, parse_name, fail_expected, "'and', 'or' or ')'" };

StackExpr *stackexpr_parse(const char *text, GError **error)
{
	g_autoptr(StackExpr) expr = g_new0(StackExpr, 1);

	expr->names = g_ptr_array_new_with_free_func(g_free);
	expr->globs = g_ptr_array_new_with_free_func((GDestroyNotify)g_pattern_spec_free);
	expr->logic = logic_parse(&syntax, text, expr, error);
	return expr->logic ? g_steal_pointer(&expr) : NULL;
}

void stackexpr_free(StackExpr *expr)
{
	if (!expr)
		return;
	logic_free(expr->logic);
	g_ptr_array_unref(expr->names);
	g_ptr_array_unref(expr->globs);
	g_free(expr);
}

void stackexpr_make_plain(StackExpr *expr)
{
	expr->is_plain = TRUE;
	g_ptr_array_set_size(expr->globs, 0);
	for (guint i = 0; i < expr->names->len; i++) {
		const char *name = expr->names->pdata[i];
		g_autofree char *plain = symbols_plain_name(name);

		g_ptr_array_add(expr->globs, glob_new(strpbrk(name, "*?") ? name : plain));
	}
}

guint64 stackexpr_names(const StackExpr *expr, const char *text)
{
	guint64 names = 0;

	for (guint i = 0; i < expr->globs->len; i++) {
		if (glob_matches(g_ptr_array_index(expr->globs, i), text))
			names |= G_GUINT64_CONSTANT(1) << i;
	}
	return names;
}

guint64 stackexpr_raw_names(const StackExpr *expr, const char *name)
{
	return expr->is_plain ? 0 : stackexpr_names(expr, name);
}

static LogicResult has_name(guint leaf, gconstpointer names)
{
	return *(const guint64 *)names >> leaf & 1;
}

gboolean stackexpr_holds(const StackExpr *expr, guint64 names)
{
	return logic_holds(expr->logic, has_name, &names) == LOGIC_TRUE;
}

const char *stackexpr_missing(const StackExpr *expr, guint64 names)
{
	for (guint i = 0; i < expr->names->len; i++) {
		if (!(names >> i & 1))
			return g_ptr_array_index(expr->names, i);
	}
	return NULL;
}
