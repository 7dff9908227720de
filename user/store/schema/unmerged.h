/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds what another program has written beside a database, in a journal or a write-ahead log, and
 * not into it yet: it is not read. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_UNMERGED_H
#define KMT_STORE_SCHEMA_UNMERGED_H

#include <glib.h>

/*
 * FALSE with an error if the database @path, opened as @fd, has such changes. A file beside it by
 * somebody who could not have written to it is none: a line says so.
 */
gboolean unmerged_check(int fd, const char *path, GError **error);

#endif
