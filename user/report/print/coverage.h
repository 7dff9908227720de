/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a trace was recorded, for the head of the report: what it does not contain, because it was
 * not requested or could not be traced, and the tracer's own memory.
 */
#ifndef KMT_REPORT_PRINT_COVERAGE_H
#define KMT_REPORT_PRINT_COVERAGE_H

#include <stdio.h>

#include "store/store.h"

/* A line of the tracer's own memory; nothing if the trace lacks it. */
gboolean coverage_print_memory(StoreDb *db, FILE *out, GError **error);

/*
 * A line of what tracing cost, estimated from the tracer's counts of stacks, by the way it found
 * each, and measured instructions for each way; nothing if the trace lacks them.
 */
gboolean coverage_print_cost(StoreDb *db, FILE *out, GError **error);

/*
 * A line for each path that was not seen, for all groups that were not traced, for the filters, for
 * sampling, and if no event has a stack; none if there is no limit. @indent: spaces before each.
 */
gboolean coverage_print_limits(StoreDb *db, int indent, FILE *out, GError **error);

#endif
