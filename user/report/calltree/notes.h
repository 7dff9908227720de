/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What limits the figures of call trees.
 */
#ifndef KMT_REPORT_CALLTREE_NOTES_H
#define KMT_REPORT_CALLTREE_NOTES_H

#include "report/calltree/costs.h"

/*
 * Returns, in one line, what a reader of @metric must know: stacks of @kind (below 0: all) that
 * were cut, metrics that are left out, and temporary allocations that may be none. NULL if there is
 * nothing to know. @every: all metrics are shown. For g_free().
 */
char *call_notes(const CallCosts *data, int kind, CallMetric metric, gboolean every);

#endif
