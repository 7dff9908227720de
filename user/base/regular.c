// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* 0 or an errno. */
static int check_type(const struct stat *st)
{
	return S_ISREG(st->st_mode) ? 0 : S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
}

/* @file: opened with O_PATH, and so not by its driver. It's closed. */
static int reopen(int file)
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

/* Closes @file, for an errno; else opens it. */
static int finish(int file, int failure)
{
	if (!failure)
		return reopen(file);
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

/* Kernels before 5.6, where traces may be read, follow links. */
static int open_path(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	int file = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	return file < 0 && errno == ENOSYS ? open(path, O_PATH | O_CLOEXEC) : file;
}

/* A file of ramfs has memory, but counts no blocks. */
static gboolean has_blocks(int file, const struct stat *st)
{
	struct statfs fs;

	return st->st_blocks || (fstatfs(file, &fs) == 0 && fs.f_type == RAMFS_MAGIC);
}

int regular_open_foreign(const char *path, guint64 inode, struct stat *st)
{
	int file = open_path(path), failure;

	if (file < 0)
		return -1;
	failure = fstat(file, st) ? errno : check_type(st);
	if (!failure && inode && st->st_ino != inode)
		failure = ESTALE;
	if (!failure && !has_blocks(file, st))
		failure = EINVAL;
	return finish(file, failure);
}
