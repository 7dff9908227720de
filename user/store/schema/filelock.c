// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * https://sqlite.org/lockingv3.html: a reader takes the shared lock while it holds the pending one;
 * a writer holds that while it waits for the last reader, and then all of the shared one. Locks of
 * open file descriptions and those of SQLite, of processes, exclude each other.
 */
#include "store/schema/filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/schema/btree.h"
#include "store/store.h"

#define PENDING_AT BTREE_LOCK_BYTE
#define SHARED_AT  (BTREE_LOCK_BYTE + 2) /* the byte between is the reserved lock */
#define SHARED_LEN 510

/* FALSE: somebody else has it in a way that excludes @type. */
static gboolean lock(int fd, short type, off_t at, off_t len)
{
	struct flock range = { .l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = len };

	return fcntl(fd, F_OFD_SETLK, &range) == 0 || (errno != EAGAIN && errno != EACCES);
}

gboolean filelock_share(int fd, const char *path, GError **error)
{
	gboolean pending = lock(fd, F_RDLCK, PENDING_AT, 1);
	gboolean shared = pending && lock(fd, F_RDLCK, SHARED_AT, SHARED_LEN);

	lock(fd, F_UNLCK, PENDING_AT, 1);
	return shared ||
	       store_fail(error, "another program is writing to %s: try again when it has ended",
			  path);
}

static gboolean read_state(int fd, FileState *state)
{
	struct stat st;
	guint32 changes = 0; /* of an empty file */

	if (fstat(fd, &st) || pread(fd, &changes, sizeof(changes), BTREE_CHANGES_AT) < 0)
		return FALSE;
	*state = (FileState){ st.st_size, st.st_mtim, changes };
	return TRUE;
}

gboolean filelock_state(int fd, const char *path, FileState *state, GError **error)
{
	return read_state(fd, state) ||
	       store_fail(error, "can't read %s: %s", path, g_strerror(errno));
}

gboolean filelock_is_unchanged(int fd, const FileState *state)
{
	FileState now;

	return read_state(fd, &now) && now.size == state->size &&
	       now.mtime.tv_sec == state->mtime.tv_sec &&
	       now.mtime.tv_nsec == state->mtime.tv_nsec && now.changes == state->changes;
}
