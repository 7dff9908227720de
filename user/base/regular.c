// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* @file: opened with O_PATH, and so not by its driver. */
static int reopen(int file, struct stat *st)
{
	char link[32];

	if (fstat(file, st))
		return -1;
	if (!S_ISREG(st->st_mode)) {
		errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	return open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int regular_open(const char *path, struct stat *st)
{
	int file = open(path, O_PATH | O_CLOEXEC), fd, saved;
	struct stat own;

	if (file < 0)
		return -1;
	fd = reopen(file, st ? st : &own);
	saved = errno;
	close(file);
	errno = saved;
	return fd;
}
