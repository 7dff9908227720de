/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions over figures, such as "leaked_slab > 64K and not lost > 0": see report/groups/logic.h.
 * Their leaves are comparisons:
 *
 *   comparison = value ( "<" | "<=" | "=" | "==" | "!=" | ">=" | ">" ) value
 *   value      = number | name { ( "site" | "cache" ) "(" "\"" glob "\"" ")" }
 *
 * A number may have the suffix K, M or G (powers of 1024), or be a time with ns, us, ms, s, m or h.
 * Times are compared only with times.
 */
#ifndef KMT_REPORT_CHECK_EXPR_H
#define KMT_REPORT_CHECK_EXPR_H

#include "report/groups/logic.h"

typedef enum { EXPR_COUNT, EXPR_BYTES, EXPR_TIME } ExprUnit;

/* A figure that conditions can name. */
typedef struct {
	const char *name;
	ExprUnit unit;      /* of times, nanoseconds */
	gboolean by_origin; /* site() and cache() may follow it */
	const char *help;
} ExprName;

/* A figure in a condition. */
typedef struct {
	const ExprName *name;
	const char *text;  /* as given, with its restrictions */
	const char *site;  /* glob; NULL: any */
	const char *cache; /* glob; NULL: any */
} ExprFigure;

typedef struct Expr Expr;

/*
 * @names: @count of them, which must stay valid. NULL with an error, which has the column (from 1
 * on, in characters) and what was expected.
 */
Expr *expr_parse(const char *text, const ExprName *names, guint count, GError **error);
void expr_free(Expr *expr);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Expr, expr_free)

/* The figures in the order of their appearance. */
guint expr_figures(const Expr *expr);
const ExprFigure *expr_figure(const Expr *expr, guint index);

/*
 * Evaluates it with @values for its figures. A comparison with NAN, an unknown figure, is unknown;
 * "and" and "or" are known if one side decides.
 */
LogicResult expr_holds(const Expr *expr, const double *values);

#endif
