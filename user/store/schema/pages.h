/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the pages of a database from an untrusted source without SQLite: even reading the schema
 * runs a statement. SQLite reads a page once for each reference to it, so a few pages can have an
 * endless number of rows. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_PAGES_H
#define KMT_STORE_SCHEMA_PAGES_H

#include <glib.h>

/*
 * Checks the file of @fd: a database of kmemtrace, of any version, with no page of its B-trees
 * referenced twice, ascending row ids, and rows whose total length does not exceed the file's.
 * FALSE with an error about @path. The file is mapped: exit_cleanup.h describes what happens if it
 * is truncated meanwhile.
 */
gboolean pages_check(int fd, const char *path, GError **error);

#endif
