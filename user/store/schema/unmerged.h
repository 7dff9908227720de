/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds changes that another program has written beside a database, in a journal or a write-ahead
 * log, but not yet to the database: they are not read. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_UNMERGED_H
#define KMT_STORE_SCHEMA_UNMERGED_H

#include <glib.h>

/*
 * Returns FALSE with an error if the database @path, opened as @fd, has such changes. A file beside
 * it is ignored, with a message, if its owner could not have written to the database.
 */
gboolean unmerged_check(int fd, const char *path, GError **error);

#endif
