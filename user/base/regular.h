/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens regular files whose names come from elsewhere: from a process, a trace, or a user's
 * mistake.
 */
#ifndef KMT_BASE_REGULAR_H
#define KMT_BASE_REGULAR_H

#include <glib.h>

struct stat;

/*
 * Opens the regular file @path for reading, after looking what it is: to open a device may already
 * do something. Fills *@st (NULL: not wanted) also where it is none. Returns the descriptor, or −1
 * with errno; EISDIR for a directory, EINVAL for all else that is no regular file.
 */
int regular_open(const char *path, struct stat *st);

/*
 * The same for the name of a program or library that comes from a process or a trace. Also refused,
 * with ELOOP, is a path with a symbolic link, which the kernel's names of files don't have; with
 * EINVAL, a path through autofs, debugfs, procfs and their like, where the lookup of a name may ask
 * a program or mount something; and a file without blocks, which the kernel makes up. @inode: of
 * the file that is meant, else ESTALE; 0: any.
 */
int regular_open_foreign(const char *path, guint64 inode, struct stat *st);

#endif
