/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks databases from untrusted sources. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_UNTRUSTED_H
#define KMT_STORE_SCHEMA_UNTRUSTED_H

#include <glib.h>

struct sqlite3;

/*
 * Checks a database that was just opened: it must have exactly the tables, views and indexes that
 * load creates, ids without gaps, stacks that end, and sums in range. No statement of the database
 * has run before. FALSE with an error about @path.
 */
gboolean untrusted_check(struct sqlite3 *handle, const char *path, GError **error);

#endif
