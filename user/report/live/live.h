/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live memory at a time, at the peak of each kind, and over time. */
#ifndef KMT_REPORT_LIVE_LIVE_H
#define KMT_REPORT_LIVE_LIVE_H

#include "report/print/printer.h"

typedef struct {
	const char *by;   /* one of groups_words */
	const char *site; /* only allocations made by this function; "": all */
	int limit;        /* rows of each kind; timeline: all rows */
	gint64 at_ns;     /* only for live; below 0: the end */
	int steps;        /* only for timeline */
} LiveOptions;

/* Prints live memory at a time; @options: a LiveOptions. */
gboolean live_print_live(const Printer *printer, gconstpointer options, GError **error);

/* Prints the time of each kind's peak of live bytes, and the live memory at that time. */
gboolean live_print_peak(const Printer *printer, gconstpointer options, GError **error);

/* Prints the live bytes of groups at the end of each step. */
gboolean live_print_timeline(const Printer *printer, gconstpointer options, GError **error);

#endif
