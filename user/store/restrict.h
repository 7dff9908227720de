/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection that has only what was allocated in an interval: tables and views of its own, which
 * go before those of the file. Private to the store.
 */
#ifndef KMT_STORE_RESTRICT_H
#define KMT_STORE_RESTRICT_H

#include <glib.h>
#include <sqlite3.h>

/* Results are SQLite's. None may be asked for twice. */
int restrict_lifetimes(sqlite3 *handle, gint64 from_ns, gint64 to_ns);

/* Behind that: totals, and the views, which are this program's own. */
int restrict_views(sqlite3 *handle);

/* Behind that: temporary_count. */
int restrict_turns(sqlite3 *handle);

#endif
