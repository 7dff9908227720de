/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call sites that allocate most often, and temporary allocations.
 */
#ifndef KMT_REPORT_LIFETIMES_CHURN_H
#define KMT_REPORT_LIFETIMES_CHURN_H

#include "report/print/printer.h"

typedef struct {
	const char *site; /* only allocations made by this function; "": all */
	int limit;        /* rows of a table */
	int within;       /* temporary: freed within N further allocations; 1, 2, 4… 64 */
} ChurnOptions;

/* @options: a ChurnOptions. */
gboolean churn_print(const Printer *printer, gconstpointer options, GError **error);

#endif
