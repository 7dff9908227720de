/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals of each group, as stat prints for each kind: allocations, and their fates. */
#ifndef KMT_REPORT_SUMMARY_TOTALS_H
#define KMT_REPORT_SUMMARY_TOTALS_H

#include "report/print/printer.h"

typedef struct {
	const char *by; /* one of groups_words */
	int limit;      /* rows of a kind */
} TotalsOptions;

/* @options: a TotalsOptions. */
gboolean totals_print(const Printer *printer, gconstpointer options, GError **error);

#endif
