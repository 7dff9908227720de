// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * https://sqlite.org/lockingv3.html: a reader takes the shared lock while it holds the pending one;
 * a writer holds the pending lock while it waits for the last reader, and then takes all of the
 * shared one. Our locks, of open file descriptions, and SQLite's locks, of processes, exclude each
 * other.
 */
#include "store/schema/filelock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/schema/btree.h"
#include "store/schema/lease.h"
#include "store/store.h"

#define PENDING_AT BTREE_LOCK_BYTE
#define SHARED_AT  (BTREE_LOCK_BYTE + 2) /* the byte between is the reserved lock */
#define SHARED_LEN 510

/* Returns FALSE if another lock excludes @type. */
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
	state->changes = 0; /* for an empty file */
	return fstat(fd, &state->st) == 0 &&
	       pread(fd, &state->changes, sizeof(state->changes), BTREE_CHANGES_AT) >= 0;
}

static gboolean is_trusted(const struct stat *st)
{
	return (!st->st_uid || st->st_uid == geteuid()) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Takes the lease first: earlier writes are then part of the state. */
gboolean filelock_state(int fd, const char *path, FileState *state, GError **error)
{
	struct stat st;
	Lease lease = LEASE_NONE;

	*state = (FileState){ 0 };
	if (fstat(fd, &st))
		return store_fail(error, "can't read %s: %s", path, g_strerror(errno));
	state->trusted = is_trusted(&st);
	if (!state->trusted)
		lease = lease_take(fd);
	if (lease == LEASE_BUSY)
		return store_fail(
			error,
			"another program has %s open for writing: try again when it has ended",
			path);
	state->is_leased = lease == LEASE_HELD;
	return read_state(fd, state) ||
	       store_fail(error, "can't read %s: %s", path, g_strerror(errno));
}

static gboolean is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/*
 * Only the kernel sets the ctime, and changes it even if contents are unchanged. Such other changes
 * can be seen, but also be made to hide a change of contents.
 */
static gboolean is_same_ctime(const FileState *a, const FileState *b)
{
	return is_same_time(a->st.st_ctim, b->st.st_ctim) ||
	       (a->trusted && (a->st.st_nlink != b->st.st_nlink || a->st.st_mode != b->st.st_mode ||
			       a->st.st_uid != b->st.st_uid || a->st.st_gid != b->st.st_gid));
}

gboolean filelock_is_unchanged(int fd, const FileState *state)
{
	FileState now;

	return read_state(fd, &now) && now.st.st_size == state->st.st_size &&
	       is_same_time(now.st.st_mtim, state->st.st_mtim) && is_same_ctime(state, &now) &&
	       now.changes == state->changes && (!state->is_leased || lease_is_held(fd));
}
