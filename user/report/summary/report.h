/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report: whether the trace is complete, then live, allocated and wasted memory. Each section
 * is one SQL statement, store/sql/report/report_KEY.sql, and prints as text and as JSON under its
 * key.
 */
#ifndef KMT_REPORT_SUMMARY_REPORT_H
#define KMT_REPORT_SUMMARY_REPORT_H

#include <stdio.h>

#include "report/print/selection.h"

#define REPORT_KINDS_TITLE "Totals by kind: separate accounts, never added up"

typedef struct {
	const char *name; /* of the trace, for its first line */
	int limit;        /* rows of a section */
	guint64 older_ns; /* age from which live memory is listed with its stack */
	const char *site; /* only this call site; "" for all */
	gboolean full;    /* all tables, as in JSON; else an overview */
	gboolean json;
	Selection *selection; /* only these allocations; NULL or empty: all */
} ReportOptions;

/* *@incomplete: events were lost, or the trace was cut. */
gboolean report_print(StoreDb *db, const ReportOptions *options, FILE *out, gboolean *incomplete,
		      GError **error);

/*
 * The same for totals only, from a database that may have nothing else: uses name and json of
 * @options.
 */
gboolean report_print_stat(StoreDb *db, const ReportOptions *options, FILE *out,
			   gboolean *incomplete, GError **error);

#endif
