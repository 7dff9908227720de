/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live memory at a time, at the peak of each kind, and over time. */
#ifndef KMT_REPORT_LIVE_LIVE_H
#define KMT_REPORT_LIVE_LIVE_H

#include "report/print/printer.h"

typedef struct {
	const char *by;   /* a dimension of groups.h */
	const char *site; /* only what this function called for; "": all */
	int limit;        /* rows of each kind; timeline: all rows */
	gint64 at_ns;     /* live alone; below 0: at the end */
	int steps;        /* timeline alone */
} LiveOptions;

/* Prints live memory at a time; @options: a LiveOptions. */
gboolean live_print_live(const Printer *printer, gconstpointer options, GError **error);

/* Prints the time of each kind's peak of live bytes, and the live memory at that time. */
gboolean live_print_peak(const Printer *printer, gconstpointer options, GError **error);

/* Live bytes of groups at the end of each step. */
gboolean live_print_timeline(const Printer *printer, gconstpointer options, GError **error);

#endif
