/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Old allocations that are live at the end of a trace, and groups that grew between two times; both
 * with their growth pattern (analysis/growth/growth_pattern.h).
 */
#ifndef KMT_REPORT_LEAKS_LEAKS_H
#define KMT_REPORT_LEAKS_LEAKS_H

#include "report/print/printer.h"

#define LEAKS_NS_NONE (-1) /* no time was given */

typedef struct {
	const char *by;        /* one of groups_words except cpu */
	const char *site;      /* only allocations made by this function; NULL: all */
	const char *shape;     /* leaks: only groups with this growth pattern; NULL: all */
	int limit;             /* rows of a table */
	gint64 older_ns;       /* leaks; by default 30 s, or half of the trace if that is less */
	gint64 from_ns, to_ns; /* grow; by default the start and the end of the trace */
	const char *from, *to; /* grow: times or marks, instead of these; NULL: none */
} LeaksOptions;

/* @options: a LeaksOptions. */
gboolean leaks_print(const Printer *printer, gconstpointer options, GError **error);

/* As leaks_print(). Fails if the times are outside the trace, or not in order. */
gboolean grow_print(const Printer *printer, gconstpointer options, GError **error);

#endif
