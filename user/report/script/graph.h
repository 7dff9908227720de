/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations in the manner of the kernel's function graph tracer: nested by their stacks, each
 * call of an allocator with its arguments, its result, and how long that lived.
 *
 * What is entered and left between two allocations follows from what their stacks have in common
 * outside: calls that allocated nothing are not seen, and two calls one after the other that look
 * the same are one.
 */
#ifndef KMT_REPORT_SCRIPT_GRAPH_H
#define KMT_REPORT_SCRIPT_GRAPH_H

#include "report/print/printer.h"

#define GRAPH_ALL (-1)

/* Which allocations. */
typedef struct {
	int cpu; /* GRAPH_ALL: of all */
	int tid; /* what interrupts did is no thread's; GRAPH_ALL: each thread by itself */
} GraphOptions;

/* @options: a GraphOptions. */
gboolean graph_print(const Printer *printer, gconstpointer options, GError **error);

#endif
