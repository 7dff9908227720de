/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints call trees as text, drawn like perf's call graphs, or as JSON.
 */
#ifndef KMT_REPORT_CALLTREE_TEXT_H
#define KMT_REPORT_CALLTREE_TEXT_H

#include "report/calltree/costs.h"
#include "report/calltree/metric.h"
#include "report/print/printer.h"

typedef struct {
	CallMetric metric;
	int kind;              /* below 0: all, one after the other */
	gboolean functions;    /* a table of them instead of a tree */
	double percent_limit;  /* entries below this share of what is selected are merged */
	int lines;             /* of a tree, or a table, at most; 0: no limit */
	const char *from, *to; /* times or marks; NULL: where the trace begins, and ends */
	CallView view;
} CallsOptions;

/*
 * Reads the costs of the interval that the options name: the metric, and @more (bits). NULL with an
 * error as of call_costs_read(), or if there is no such interval.
 */
CallCosts *calls_read(StoreDb *db, const CallsOptions *options, guint more, GError **error);

/* Above a tree or a graph: "slab: bytes live at the peak, at 69.1ms". For g_free(). */
char *calls_title(const CallCosts *data, const CallsOptions *options, guint kind);

/* A value as JSON has it. */
void calls_print_value(CallMetric metric, gint64 value, FILE *out);

/* FALSE with an error if @data lacks the metric. */
gboolean calls_check_metric(const CallCosts *data, const CallsOptions *options, GError **error);

/*
 * Prints a tree, or a table, of each kind. JSON: the rows "kinds", what is in each and when its
 * peak was, and "tree", or "functions", with all metrics that are known.
 */
gboolean calls_print(const Printer *printer, gconstpointer options, GError **error);

#endif
