/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of a trace, given as a mark or as a time after the first event.
 */
#ifndef KMT_REPORT_PRINT_INTERVAL_H
#define KMT_REPORT_PRINT_INTERVAL_H

#include <stdio.h>

#include "store/store.h"

/*
 * The time that @text names, in nanoseconds: a mark's text; else "#N", the mark of that number in
 * the view marks; else a time as of units_parse_time(). An error says which marks there are, or
 * which have the same text.
 */
gboolean interval_time(StoreDb *db, const char *text, gint64 *ns, GError **error);

/* How long the trace is. */
gboolean interval_span(StoreDb *db, gint64 *ns, GError **error);

typedef struct {
	const char *from, *to; /* as given; NULL: no interval */
	gint64 from_ns, to_ns; /* the second isn't part of it */
} Interval;

/*
 * Finds the times of @interval->from and ->to, if they are there, the second later than the first,
 * neither behind the end of the trace. NULL is allowed.
 */
gboolean interval_find(StoreDb *db, Interval *interval, GError **error);

/*
 * The same, and restricts @db to allocations made in the interval, as
 * store_restrict() says.
 */
gboolean interval_restrict(StoreDb *db, Interval *interval, GError **error);

/*
 * "only allocations from 'a' (1s) to 'b' (2s)"; NULL as of interval_print(). For g_free().
 */
char *interval_describe(const Interval *interval);

/*
 * What an answer says of it: a line of text, or ",\n" and the member "between" of JSON. Nothing, if
 * @interval is NULL or without names.
 */
void interval_print(const Interval *interval, gboolean json, FILE *out);

#endif
