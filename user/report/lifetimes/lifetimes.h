/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long allocations live, by group and as a histogram; and pairs of allocating and freeing
 * sites.
 */
#ifndef KMT_REPORT_LIFETIMES_LIFETIMES_H
#define KMT_REPORT_LIFETIMES_LIFETIMES_H

#include "report/print/printer.h"

typedef enum {
	LIFETIMES_ANY,
	LIFETIMES_CROSS_CPU,
	LIFETIMES_CROSS_THREAD,
	LIFETIMES_CROSS_NODE
} LifetimesCross;

typedef struct {
	const char *by;       /* site, stack, cache, module, task or thread */
	const char *site;     /* only allocations made by this function; "": all */
	int limit;            /* rows of a table */
	LifetimesCross cross; /* only for pairs: only frees on another CPU, thread or node */
} LifetimesOptions;

/*
 * Prints for each kind and each group: the number of freed allocations, their bytes, and
 * percentiles of their lifetimes by nearest rank; and a histogram by kind. @options: a
 * LifetimesOptions, also below.
 */
gboolean lifetimes_print(const Printer *printer, gconstpointer options, GError **error);

/* Prints pairs of allocation and free, by site or stack. */
gboolean alloc_free_pairs_print(const Printer *printer, gconstpointer options, GError **error);

#endif
