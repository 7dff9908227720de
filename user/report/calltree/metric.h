/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of the metrics of a call site.
 */
#ifndef KMT_REPORT_CALLTREE_METRIC_H
#define KMT_REPORT_CALLTREE_METRIC_H

#include "report/calltree/costs.h"

/* A metric as an option, a column and a title name it. */
typedef struct {
	const char *name; /* as an option's value */
	const char *key;  /* as a column */
	const char *title;
	gboolean bytes; /* its values are sizes; CALL_BYTE_MS: when divided by 1000 */
} CallMetricNames;

const CallMetricNames *callmetric_of(CallMetric metric);

/* FALSE if no metric has this name. */
gboolean callmetric_find(const char *name, CallMetric *metric);

/* The names of all, with ", " between them. For g_free(). */
char *callmetric_names(void);

#endif
