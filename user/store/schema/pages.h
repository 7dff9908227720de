/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the pages of a database from an untrusted source, without SQLite: even to read the schema
 * takes a statement. SQLite reads a page as often as other pages lead to it, so a few pages can
 * have rows without end. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_PAGES_H
#define KMT_STORE_SCHEMA_PAGES_H

#include <glib.h>

/*
 * Checks the file of @fd: it is a database of kmemtrace, of any version, no page of its B-trees is
 * in two places, row ids are in order, and all rows together are no longer than the file. FALSE
 * with an error about @path. The file is mapped: exit_cleanup.h says what happens if it is
 * truncated meanwhile.
 */
gboolean pages_check(int fd, const char *path, GError **error);

#endif
