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

/* The next file that this thread opens for writing is that of @fd. -1: it is opened by name. */
void descriptor_give(int fd);

/* Ends that. Returns FALSE if no file was opened meanwhile; TRUE also if none was given. */
gboolean descriptor_was_taken(void);

#endif
