/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets SQLite open a file by descriptor. SQLite opens files only by name, and by then the name may
 * refer to another file than the one that was checked. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_DESCRIPTOR_H
#define KMT_STORE_SCHEMA_DESCRIPTOR_H

#include <glib.h>

#define DESCRIPTOR_FOLDER "/proc/self/fd/" /* only a prefix: no such file is opened */
#define DESCRIPTOR_VFS    "kmemtrace"

/*
 * Returns a path by which SQLite, with the VFS above, opens the file of @fd, any number of times
 * while @fd is open. For g_free().
 */
char *descriptor_path(int fd);

#endif
