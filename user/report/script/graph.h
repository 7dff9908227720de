/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations in the style of the kernel's function graph tracer: nested by their stacks, each call
 * of an allocator with its arguments, its result, and the lifetime.
 *
 * The functions that were entered and left between two allocations follow from the common outer
 * part of their stacks: calls without an allocation are not seen, and two consecutive calls that
 * look the same are one.
 */
#ifndef KMT_REPORT_SCRIPT_GRAPH_H
#define KMT_REPORT_SCRIPT_GRAPH_H

#include "report/print/printer.h"

#define GRAPH_ALL (-1)

/* Selected allocations. */
typedef struct {
	int cpu; /* GRAPH_ALL: all */
	int tid; /* without interrupts; GRAPH_ALL: each thread separately */
} GraphOptions;

/* @options: a GraphOptions. */
gboolean graph_print(const Printer *printer, gconstpointer options, GError **error);

#endif
