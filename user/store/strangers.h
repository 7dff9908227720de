/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Databases that somebody else may have made. Private to the store.
 */
#ifndef KMT_STORE_STRANGERS_H
#define KMT_STORE_STRANGERS_H

#include <glib.h>

struct sqlite3;

/*
 * FALSE with an error about @path unless @handle, which was just opened, has the tables, views and
 * indexes that a load makes, and nothing else, and rows whose numbers can be relied on. Before that
 * nothing runs that the database brings.
 */
gboolean strangers_check(struct sqlite3 *handle, const char *path, GError **error);

#endif
