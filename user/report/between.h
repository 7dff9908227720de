/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of a trace as people name them: by a mark, or as a time after the first event.
 */
#ifndef KMT_REPORT_BETWEEN_H
#define KMT_REPORT_BETWEEN_H

#include <stdio.h>

#include "store/store.h"

/*
 * The time that @text names, in nanoseconds: a mark's text; else "#N", the mark of that number in
 * the view marks; else a time as of units_parse_time(). An error says which marks there are, or
 * which have the same text.
 */
gboolean between_time(StoreDb *db, const char *text, gint64 *ns, GError **error);

/* How long the trace is. */
gboolean between_span(StoreDb *db, gint64 *ns, GError **error);

typedef struct {
	const char *from, *to;	/* as they were given; NULL: no interval was asked for */
	gint64 from_ns, to_ns;	/* the second isn't part of it */
} Between;

/*
 * Finds the times of @between->from and ->to, if they are there, the second later than the first,
 * neither behind the end of the trace. NULL is allowed.
 */
gboolean between_find(StoreDb *db, Between *between, GError **error);

/*
 * The same, and from then on @db has only what was allocated in the interval, as
 * store_restrict() says.
 */
gboolean between_restrict(StoreDb *db, Between *between, GError **error);

/* "only what was allocated from 'a' (1s) to 'b' (2s)"; NULL as of between_print(). For g_free(). */
char *between_describe(const Between *between);

/*
 * What an answer says of it: a line of text, or ",\n" and the member "between" of JSON. Nothing, if
 * @between is NULL or without names.
 */
void between_print(const Between *between, gboolean json, FILE *out);

#endif
