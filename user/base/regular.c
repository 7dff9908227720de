// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define STORED_RATIO 8 /* assumed compression of a file system: bytes for each stored one */

/* Returns 0 or an errno. */
static int check_type(const struct stat *st)
{
	return S_ISREG(st->st_mode) ? 0 : S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
}

int regular_reopen(int file)
{
	char link[32];
	int fd, saved;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	saved = errno;
	close(file);
	errno = saved;
	return fd;
}

/* With an errno, closes @file; else opens it. */
static int finish(int file, int failure)
{
	if (!failure)
		return regular_reopen(file);
	close(file);
	errno = failure;
	return -1;
}

int regular_open(const char *path, struct stat *st)
{
	int file = open(path, O_PATH | O_CLOEXEC);
	struct stat own;

	if (file < 0)
		return -1;
	if (!st)
		st = &own;
	return finish(file, fstat(file, st) ? errno : check_type(st));
}

/* Returns whether a lookup in @dir may run a program, mount something, or hang. */
static gboolean acts_on_lookup(int dir)
{
	static const long types[] = {
		AUTOFS_SUPER_MAGIC, BINFMTFS_MAGIC, DEBUGFS_MAGIC,
		PROC_SUPER_MAGIC,   SYSFS_MAGIC,    TRACEFS_MAGIC,
	};
	struct statfs fs;

	if (fstatfs(dir, &fs))
		return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
		if (fs.f_type == types[i])
			return TRUE;
	}
	return FALSE;
}

gboolean regular_is_roots(const struct stat *st)
{
	return !st->st_uid && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Opens with O_PATH, which triggers no automount. */
static int look_up(int dir, const char *name, RegularWait wait)
{
	const struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_CACHED,
	};
	struct stat st;
	int entry;

	if (wait == REGULAR_ANY ||
	    (wait == REGULAR_ROOTS && !fstat(dir, &st) && regular_is_roots(&st)))
		return openat(dir, name, (int)how.flags);
	entry = syscall(SYS_openat2, dir, name, &how, sizeof(how));
	if (entry < 0 && (errno == ENOSYS || errno == EPERM)) /* forbidden in a container */
		errno = EAGAIN;
	return entry;
}

/* Opens the entry @name of @dir, and closes @dir. */
static int open_entry(int dir, const char *name, RegularWait wait)
{
	int entry = -1, saved = EINVAL;
	struct stat st;

	if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !acts_on_lookup(dir)) {
		entry = look_up(dir, name, wait);
		saved = errno;
	}
	close(dir);
	if (entry >= 0 && fstat(entry, &st) == 0 && S_ISLNK(st.st_mode)) {
		close(entry);
		entry = -1;
		saved = ELOOP;
	}
	errno = saved;
	return entry;
}

/*
 * Looks up one name at a time: in the middle of a path the kernel would trigger automounts,
 * whatever the flags are.
 */
static int open_path(const char *path, RegularWait wait)
{
	g_auto(GStrv) names = g_strsplit(path, "/", -1);
	int entry = open("/", O_PATH | O_CLOEXEC);

	if (path[0] != '/') {
		close(entry);
		errno = EINVAL;
		return -1;
	}
	for (guint i = 1; entry >= 0 && names[i]; i++) {
		if (names[i][0])
			entry = open_entry(entry, names[i], wait);
	}
	return entry;
}

/* Files of ramfs have memory, but no blocks. */
static gboolean has_blocks(int file, const struct stat *st)
{
	struct statfs fs;

	return st->st_blocks || (fstatfs(file, &fs) == 0 && fs.f_type == RAMFS_MAGIC);
}

guint64 regular_stored_len(int fd, const struct stat *st)
{
	guint64 stored = (guint64)st->st_blocks * S_BLKSIZE * STORED_RATIO;

	if (!stored && has_blocks(fd, st))
		return st->st_size;
	return MIN((guint64)st->st_size, stored);
}

int regular_find_foreign(const char *path, guint64 inode, RegularWait wait, struct stat *st)
{
	int file = open_path(path, wait), failure;

	if (file < 0)
		return -1;
	failure = fstat(file, st) ? errno : check_type(st);
	if (!failure && inode && st->st_ino != inode)
		failure = ESTALE;
	if (!failure && !has_blocks(file, st))
		failure = EINVAL;
	if (!failure)
		return file;
	close(file);
	errno = failure;
	return -1;
}

int regular_open_foreign(const char *path, guint64 inode, RegularWait wait, struct stat *st)
{
	int file = regular_find_foreign(path, inode, wait, st);

	return file < 0 ? -1 : regular_reopen(file);
}
