/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens regular files by untrusted names: from a process, a trace, or a user's mistake. */
#ifndef KMT_BASE_REGULAR_H
#define KMT_BASE_REGULAR_H

#include <glib.h>

struct stat;

/*
 * Opens the regular file @path for reading, after checking its type: opening a device may have side
 * effects. Fills *@st (may be NULL) also for other types. Returns the descriptor, or -1 with errno:
 * EISDIR for a directory, EINVAL for other types.
 */
int regular_open(const char *path, struct stat *st);

/* Returns whether only root may write to the file or folder. */
gboolean regular_is_roots(const struct stat *st);

/* What regular_open_foreign() may wait for. */
typedef enum {
	REGULAR_CACHED, /* no directory: only finds names that the dentry cache has and trusts */
	REGULAR_ROOTS,  /* directories in which only root may create files */
	REGULAR_ANY,
	REGULAR_WAITS,
} RegularWait;

/*
 * The same for the name of a program or library from a process or a trace. Also rejects: with
 * ELOOP, a path with a symbolic link, which the kernel's file names don't have; with EINVAL, a path
 * through autofs, debugfs, procfs and the like, where a lookup may run a program or mount
 * something, and a file without blocks, which the kernel generates. @inode: of the file, else
 * ESTALE; 0: any. EAGAIN if it would wait for more than @wait: a lookup waits while a user keeps
 * the directory locked, as anyone can who may read it. Network and stacked file systems don't trust
 * the dentry cache: there, REGULAR_CACHED finds nothing.
 */
int regular_open_foreign(const char *path, guint64 inode, RegularWait wait, struct stat *st);

/*
 * The same, but opens the file with O_PATH, so neither its driver nor anyone who watches it notices
 * that. regular_reopen() opens it for reading, and closes @file.
 */
int regular_find_foreign(const char *path, guint64 inode, RegularWait wait, struct stat *st);
int regular_reopen(int file);

/*
 * Returns the size of the file @fd, with its @st, for limits on data derived from it: the stored
 * bytes, times 8 for compressing file systems. Holes do not count: any user can create them.
 */
guint64 regular_stored_len(int fd, const struct stat *st);

#endif
