/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares two traces: allocated, live and wasted memory, by common names. */
#ifndef KMT_REPORT_DIFF_DIFF_H
#define KMT_REPORT_DIFF_DIFF_H

#include <stdio.h>

#include "report/check/conditions.h"
#include "report/print/selection.h"

typedef enum {
	DIFF_BY_SITE,
	DIFF_BY_STACK,
	DIFF_BY_CACHE,
	DIFF_BY_MODULE,
	DIFF_BY_KIND,
	DIFF_BY_NODE,
	DIFF_BY_ORDER,
	DIFF_BY_SIZE,
	DIFF_BY_TASK, /* from here on, not by origin */
	DIFF_BY_THREAD,
	DIFF_BY_CPU,
} DiffBy;

/* Figures as they are, per second of the interval or trace, or per event of the trace. */
typedef enum { DIFF_PER_TOTAL, DIFF_PER_SECOND, DIFF_PER_EVENT } DiffPer;

typedef struct {
	const char *names[2]; /* of the traces */
	DiffBy by;
	DiffPer per;
	int limit;                    /* rows of each kind */
	Selection selections[2];      /* of the traces; the same except for times */
	Comparison comparison;        /* to which the selections refer */
	const Conditions *conditions; /* over the figures of diff_figures() */
	gboolean json;
} DiffOptions;

/* Parse a word of report_command_by(), and "total", "second", "event". Return FALSE for others. */
gboolean diff_parse_by(const char *word, DiffBy *by);
gboolean diff_parse_per(const char *word, DiffPer *per);

/* The figures that conditions can name, and their number. */
const ExprName *diff_figures(guint *count);

/*
 * Prints the completeness of both, and for each kind the changes from @dbs[0] to @dbs[1], sorted by
 * the change of live bytes; then the conditions, and a conclusion.
 */
gboolean diff_print(StoreDb *const dbs[2], const DiffOptions *options, FILE *out,
		    ConditionResult *result, GError **error);

#endif
