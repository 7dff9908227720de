// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the conditions of check, and the expressions that select stacks: an input is one of these.
 * A rejected input is reported with a column inside it. An accepted one gives the same result each
 * time, also in parentheses or after two "not".
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "report/check/figures.h"
#include "report/groups/stackexpr.h"

/* Values of all kinds, by unit; a figure always has the same value. */
static double *make_values(const Expr *expr)
{
	static const double some[] = { 0, 1, 65536, 1e9, NAN, 0x1p62 };
	double *values = g_new(double, expr_figures(expr) + 1);

	for (guint i = 0; i < expr_figures(expr); i++)
		values[i] = some[g_str_hash(expr_figure(expr, i)->text) % G_N_ELEMENTS(some)];
	return values;
}

static gboolean evaluate(const char *text, LogicResult *result)
{
	guint count;
	const ExprName *names = figures_names(&count);
	g_autoptr(GError) error = NULL;
	g_autoptr(Expr) expr = expr_parse(text, names, count, &error);
	g_autofree double *values = NULL;
	long column = 0;

	REQUIRE(!expr == !!error);
	if (!expr) {
		REQUIRE(sscanf(error->message, "column %ld: ", &column) == 1);
		REQUIRE(column >= 1 && (size_t)column <= strlen(text) + 1);
		REQUIRE(g_utf8_validate(error->message, -1, NULL));
		return FALSE;
	}
	for (guint i = 0; i < expr_figures(expr); i++)
		REQUIRE(strstr(text, expr_figure(expr, i)->text));
	values = make_values(expr);
	*result = expr_holds(expr, values);
	REQUIRE(*result == LOGIC_TRUE || *result == LOGIC_FALSE || *result == LOGIC_UNKNOWN);
	return TRUE;
}

/* A bit for each of some stacks: whether the expression matches it. */
static gboolean evaluate_stacks(const char *text, guint *result)
{
	static const char *const stacks[][3] = {
		{ "kmalloc", "vfs_read", "[ext4]" }, { "a", "b", "" }, { "ä", "and", "(" },
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(StackExpr) expr = stackexpr_parse(text, &error);
	long column = 0;

	REQUIRE(!expr == !!error);
	if (!expr) {
		REQUIRE(sscanf(error->message, "column %ld: ", &column) == 1);
		REQUIRE(column >= 1 && (size_t)column <= strlen(text) + 1);
		REQUIRE(g_utf8_validate(error->message, -1, NULL));
		return FALSE;
	}
	*result = 0;
	for (guint i = 0; i < G_N_ELEMENTS(stacks); i++) {
		guint64 names = 0;

		for (guint j = 0; j < 3; j++)
			names |= stackexpr_names(expr, stacks[i][j]);
		*result |= (stackexpr_holds(expr, names) != 0) << i;
	}
	return TRUE;
}

static void fuzz_stacks(const char *text, const char *inside, const char *opposite)
{
	g_autofree char *neither = g_strdup_printf("not (%s)", text);
	guint result, again;

	if (!evaluate_stacks(text, &result))
		return;
	if (evaluate_stacks(inside, &again))
		REQUIRE(again == result);
	if (evaluate_stacks(opposite, &again))
		REQUIRE(again == result);
	if (evaluate_stacks(neither, &again))
		REQUIRE(again == (~result & 7));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autofree char *inside = g_strdup_printf("(%s)", text);
	g_autofree char *opposite = g_strdup_printf("not not (%s)", text);
	LogicResult result, again;

	fuzz_stacks(text, inside, opposite);
	if (!evaluate(text, &result))
		return 0;
	/* At the depth limit, the variants may be too deep. */
	if (evaluate(inside, &again))
		REQUIRE(again == result);
	if (evaluate(opposite, &again))
		REQUIRE(again == result);
	return 0;
}
