/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the traced memory with the change of the kernel's own counters during the recording:
 * which part the trace explains, and what it cannot explain.
 */
#ifndef KMT_REPORT_SUMMARY_RECONCILE_H
#define KMT_REPORT_SUMMARY_RECONCILE_H

#include "report/print/printer.h"

typedef struct {
	int limit; /* listed caches */
} ReconcileOptions;

/* @options: a ReconcileOptions. Fails if the trace lacks meminfo of either end. */
gboolean reconcile_print(const Printer *printer, gconstpointer options, GError **error);

#endif
