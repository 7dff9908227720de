/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prevents changes of a database while it is read: SQLite assumes that the file doesn't change, and
 * takes no lock of its own. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_FILELOCK_H
#define KMT_STORE_SCHEMA_FILELOCK_H

#include <glib.h>
#include <sys/stat.h>

/*
 * Takes SQLite's shared lock on the file @fd, until its last descriptor is closed. Other readers
 * have it as well, and SQLite does not write to a file with such a lock. FALSE with an error if a
 * program is writing now. Also TRUE if the file system has no locks.
 */
gboolean filelock_share(int fd, const char *path, GError **error);

/* The properties of a file that change if a program without a lock writes to it. */
typedef struct {
	struct stat st;
	guint32 changes;  /* SQLite's counter, in file byte order */
	gboolean trusted; /* only this user and root may write to the file */
	gboolean is_leased;
} FileState;

/*
 * Reads the state of @fd before its contents are read. A file that other users may write to is also
 * leased (lease.h), where that is possible. FALSE with an error if it can't be read, or if another
 * program has such a file open for writing.
 */
gboolean filelock_state(int fd, const char *path, FileState *state, GError **error);

/*
 * Returns TRUE if the file still has @state. A trusted file may have been renamed, linked or
 * removed, or its permissions changed.
 */
gboolean filelock_is_unchanged(int fd, const FileState *state);

#endif
