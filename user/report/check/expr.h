/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions over figures, as "leaked_slab > 64K and not lost > 0", as report/groups/logic.h has
 * them. Their leaves are comparisons:
 *
 *   comparison = value ( "<" | "<=" | "=" | "==" | "!=" | ">=" | ">" ) value
 *   value      = number | name { ( "site" | "cache" ) "(" "\"" glob "\"" ")" }
 *
 * A number may have K, M or G behind it (powers of 1024), or be a time with ns, us, ms, s, m or h.
 * Times are compared with times alone.
 */
#ifndef KMT_REPORT_CHECK_EXPR_H
#define KMT_REPORT_CHECK_EXPR_H

#include "report/groups/logic.h"

typedef enum { EXPR_COUNT, EXPR_BYTES, EXPR_TIME } ExprUnit;

/* A figure that a condition may name. */
typedef struct {
	const char *name;
	ExprUnit unit;      /* of times, nanoseconds */
	gboolean by_origin; /* site() and cache() may be behind it */
	const char *help;
} ExprName;

/* A figure as a condition has it. */
typedef struct {
	const ExprName *name;
	const char *text;  /* as it was written, its restrictions too */
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

/* The figures in the order in which they appear. */
guint expr_figures(const Expr *expr);
const ExprFigure *expr_figure(const Expr *expr, guint index);

/*
 * Whether it is true with @values for its figures. One that is NAN is not known, nor is a
 * comparison with it; "and" and "or" are, where the other side decides.
 */
LogicResult expr_holds(const Expr *expr, const double *values);

#endif
