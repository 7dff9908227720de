/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conditions of --fail-if: parsed, evaluated with the figures of a command, and printed. */
#ifndef KMT_REPORT_CHECK_CONDITIONS_H
#define KMT_REPORT_CHECK_CONDITIONS_H

#include <json-glib/json-glib.h>
#include <stdio.h>

#include "report/check/expr.h"

typedef struct {
	GPtrArray *exprs;         /* of Expr */
	const char *const *texts; /* as given, parallel */
} Conditions;

/* The results of a command. */
typedef struct {
	gboolean incomplete; /* a trace is */
	guint failed;        /* true conditions, which are failures */
} ConditionResult;

/* Returns a figure of the command; NAN: unknown. */
typedef gboolean (*ConditionFigureFunc)(gpointer data, const ExprFigure *figure, double *value,
					GError **error);

/*
 * Parses @texts, which end with NULL and must stay valid; NULL: none. The error has the column. For
 * conditions_clear(), also after an error.
 */
gboolean conditions_parse(Conditions *conditions, const char *const *texts, const ExprName *names,
			  guint count, GError **error);
void conditions_clear(Conditions *conditions);

/* Returns the verdicts of @conditions, parallel; NULL with an error. */
GPtrArray *conditions_judge(const Conditions *conditions, ConditionFigureFunc get, gpointer data,
			    GError **error);

/* Returns how many of @verdicts are true. */
guint conditions_failed(const GPtrArray *verdicts);

/* Prints a line for each condition, with its figures. @unknown: why a figure may be unknown. */
void conditions_print(const Conditions *conditions, const GPtrArray *verdicts, const char *unknown,
		      FILE *out);

/* Adds an array of objects: condition, result, figures. */
void conditions_add_json(const Conditions *conditions, const GPtrArray *verdicts,
			 JsonBuilder *json);

/* Prints the names of figures, for --list. */
void conditions_print_names(const ExprName *names, guint count, gboolean json, FILE *out);

#endif
