/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restricts a connection to allocations made in an interval: by temporary tables and views that
 * hide those of the file. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_RESTRICT_H
#define KMT_STORE_SCHEMA_RESTRICT_H

#include <glib.h>

struct sqlite3;

/* Results are SQLite's. Each may be called only once. */
int restrict_lifetimes(struct sqlite3 *handle, gint64 from_ns, gint64 to_ns);

/* The same for @handle as for @other, if that is restricted. */
int restrict_as(struct sqlite3 *handle, struct sqlite3 *other);

/* Behind that: totals, and the views, which are this program's own. */
int restrict_views(struct sqlite3 *handle);

/* Behind that: temporary_total and temporary_count. */
int restrict_temporaries(struct sqlite3 *handle);

#endif
