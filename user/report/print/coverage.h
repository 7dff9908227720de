/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a trace was recorded, for the head of the report: what it lacks, because it was not requested
 * or could not be traced, and the tracer's own memory.
 */
#ifndef KMT_REPORT_PRINT_COVERAGE_H
#define KMT_REPORT_PRINT_COVERAGE_H

#include <stdio.h>

#include "store/store.h"

/* Prints a line with the tracer's own memory; nothing if the trace lacks it. */
gboolean coverage_print_memory(StoreDb *db, FILE *out, GError **error);

/*
 * Prints a line with the estimated cost of tracing: the tracer's counts of stacks, by the way each
 * was found, times measured instructions of each way; nothing if the trace lacks them.
 */
gboolean coverage_print_cost(StoreDb *db, FILE *out, GError **error);

/*
 * Prints a line for each untraced path, for groups that were not requested, for filters, for
 * sampling, and if no event has a stack; nothing without such limits. @indent: spaces before each.
 */
gboolean coverage_print_limits(StoreDb *db, int indent, FILE *out, GError **error);

#endif
