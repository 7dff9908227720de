/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Old allocations that are live at the end of a trace, and groups that hold more at one time than
 * at an earlier one; both with their growth pattern (analysis/growth/growth_pattern.h).
 */
#ifndef KMT_REPORT_LEAKS_LEAKS_H
#define KMT_REPORT_LEAKS_LEAKS_H

#include "report/print/printer.h"

#define LEAKS_NS_NONE (-1) /* a time that was not given */

typedef struct {
	const char *by;    /* one of groups_words but cpu */
	const char *site;  /* only what this function called for; NULL: all */
	const char *shape; /* leaks: only what has this shape, growth_pattern_find(); NULL: all */
	int limit;         /* rows of a table */
	gint64 older_ns;   /* leaks; by default 30 s, or half of the trace if that is less */
	gint64 from_ns, to_ns; /* grow; by default the start and the end of the trace */
	const char *from, *to; /* grow: names of the times, in place of these; NULL: none */
} LeaksOptions;

/* @options: a LeaksOptions. */
gboolean leaks_print(const Printer *printer, gconstpointer options, GError **error);

/* As leaks_print(). It is an error if the times are not in the trace, or not in order. */
gboolean grow_print(const Printer *printer, gconstpointer options, GError **error);

#endif
