/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a database as it is while it is read: SQLite is told that nobody changes it, and takes no
 * lock of its own. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_FILELOCK_H
#define KMT_STORE_SCHEMA_FILELOCK_H

#include <glib.h>
#include <sys/stat.h>

/*
 * Takes SQLite's shared lock on the file @fd, until its last descriptor is closed: other readers
 * have it as well, and SQLite writes to no file that has one. FALSE with an error if somebody is
 * writing now. TRUE, too, where the file system has no locks.
 */
gboolean filelock_share(int fd, const char *path, GError **error);

/* What a change of a file by other means alters: not every program asks for a lock. */
typedef struct {
	struct stat st;
	guint32 changes;  /* SQLite's count, as its bytes are */
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
 * TRUE if the file still has @state. A trusted file may have been renamed, linked or removed, or
 * got other permissions.
 */
gboolean filelock_is_unchanged(int fd, const FileState *state);

#endif
