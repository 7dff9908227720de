/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times of a trace, given as a mark or as a time after the first event.
 */
#ifndef KMT_REPORT_PRINT_INTERVAL_H
#define KMT_REPORT_PRINT_INTERVAL_H

#include "store/store.h"

/*
 * Parses a time in nanoseconds: a mark's text; else "#N", the mark of that number in the view
 * marks; else a time as of units_parse_time(). An error lists the marks, or those with the same
 * text.
 */
gboolean interval_time(StoreDb *db, const char *text, gint64 *ns, GError **error);

/* Returns the length of the trace. */
gboolean interval_span(StoreDb *db, gint64 *ns, GError **error);

/*
 * Return the age from which live memory counts as old, without --older: 30 s, or half of a shorter
 * trace; in nanoseconds, for a trace of @span_ns, or for @db.
 */
gint64 interval_old_age(gint64 span_ns);
gboolean interval_find_old_age(StoreDb *db, guint64 *ns, GError **error);

#endif
