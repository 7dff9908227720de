/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a trace against conditions, for automated tests.
 */
#ifndef KMT_REPORT_CHECK_CHECK_H
#define KMT_REPORT_CHECK_CHECK_H

#include <stdio.h>

#include "report/check/figures.h"

typedef struct {
	const char *name;         /* of the trace */
	GPtrArray *conditions;    /* of Expr */
	const char *const *texts; /* as they were written, parallel */
	guint64 older_ns;         /* age above which live allocations count as leaked */
	const Suppress *suppress; /* or NULL */
	gboolean json;
} CheckOptions;

typedef struct {
	gboolean incomplete;
	guint failed; /* conditions that are true, and so must not be */
} CheckResult;

/* Prints the trust, each condition with the values of its figures, and the suppressed memory. */
gboolean check_print(StoreDb *db, const CheckOptions *options, FILE *out, CheckResult *result,
		     GError **error);

/* The names of figures that conditions may have. */
void check_print_names(gboolean json, FILE *out);

#endif
