/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restricts a connection to some of the allocations, by temporary tables and views that hide those
 * of the file. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_RESTRICT_H
#define KMT_STORE_SCHEMA_RESTRICT_H

#include <glib.h>

struct sqlite3;

/*
 * Restricts lifetimes, totals, and the views, which this program creates. Returns a result code of
 * SQLite, like the next functions. Each may be called only once. @params as of store_restrict().
 */
int restrict_connection(struct sqlite3 *handle, const char *const *params);

/* Restricts the lifetimes of @handle as those of @other, if that is restricted. */
int restrict_as(struct sqlite3 *handle, struct sqlite3 *other);

/*
 * After restrict_connection(): creates temporary_total and temporary_count. *@by_origin: they are
 * copied from the whole trace, for some origins; otherwise they are counted by the times of
 * allocations.
 */
int restrict_temporaries(struct sqlite3 *handle, gboolean *by_origin);

#endif
