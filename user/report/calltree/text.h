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
	gboolean functions;    /* a table of functions instead of a tree */
	double percent_limit;  /* smaller entries, in percent of the selected total, are merged */
	int lines;             /* maximum of a tree, or a table; 0: unlimited */
	const char *from, *to; /* times or marks; NULL: start and end of the trace */
	CallView view;
} CallsOptions;

/*
 * Reads the costs of the interval of the options: the metric, and @more (bits). NULL with an error
 * as of call_costs_read(), or if the interval is invalid.
 */
CallCosts *calls_read(StoreDb *db, const CallsOptions *options, guint more, GError **error);

/*
 * Returns "only the time from 'a' (1s) to 'b' (2s)" of the interval; NULL: there is none, or it is
 * invalid. For g_free().
 */
char *calls_interval(StoreDb *db, const CallsOptions *options);

/* Returns the title of a tree or graph: "slab: bytes live at the peak, at 69.1ms". For g_free(). */
char *calls_title(const CallCosts *data, const CallsOptions *options, guint kind);

/* Prints a value for JSON. */
void calls_print_value(CallMetric metric, gint64 value, FILE *out);

/* Returns FALSE with an error if @data lacks the metric. */
gboolean calls_check_metric(const CallCosts *data, CallMetric metric, GError **error);

/*
 * Prints a tree, or a table, of each kind. JSON: the rows "kinds", with the sums and peak time of
 * each, and "tree", or "functions", with all available metrics.
 */
gboolean calls_print(const Printer *printer, gconstpointer options, GError **error);

#endif
