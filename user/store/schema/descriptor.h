/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets SQLite open a file by descriptor. SQLite opens files by name alone, and by then the name
 * may belong to another file than the one that was checked. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_DESCRIPTOR_H
#define KMT_STORE_SCHEMA_DESCRIPTOR_H

#include <glib.h>

#define DESCRIPTOR_FOLDER "/proc/self/fd/" /* only a name: no such file is opened */
#define DESCRIPTOR_VFS    "kmemtrace"

/*
 * Returns a path by which SQLite, with the VFS above, opens the very file of @fd, as often as it
 * wants to, as long as @fd is open. For g_free().
 */
char *descriptor_path(int fd);

#endif
