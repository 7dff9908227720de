/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a trace against conditions, for automated tests.
 */
#ifndef KMT_REPORT_CHECK_CHECK_H
#define KMT_REPORT_CHECK_CHECK_H

#include <stdio.h>

#include "report/check/conditions.h"
#include "report/check/figures.h"
#include "report/print/selection.h"

typedef struct {
	const char *name; /* of the trace */
	const Conditions *conditions;
	guint64 older_ns;           /* age above which live allocations count as leaked */
	const Suppress *suppress;   /* or NULL */
	const Selection *selection; /* NULL: all */
	gboolean json;
} CheckOptions;

/* Prints completeness, conditions with the values of their figures, and suppressed memory. */
gboolean check_print(StoreDb *db, const CheckOptions *options, FILE *out, ConditionResult *result,
		     GError **error);

#endif
