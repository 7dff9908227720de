/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the metrics of a call site.
 */
#ifndef KMT_REPORT_CALLTREE_METRIC_H
#define KMT_REPORT_CALLTREE_METRIC_H

#include "report/calltree/costs.h"

/* Names of a metric: as an option, a column and a title. */
typedef struct {
	const char *name; /* as an option's value */
	const char *key;  /* as a column */
	const char *title;
	gboolean bytes; /* values are sizes; CALL_BYTE_MS: after division by 1000 */
} CallMetricNames;

const CallMetricNames *callmetric_of(CallMetric metric);

/* Returns FALSE if there is no such metric. */
gboolean callmetric_find(const char *name, CallMetric *metric);

/* Returns all names, separated by ", ". For g_free(). */
char *callmetric_names(void);

#endif
