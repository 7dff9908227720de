// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/child.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/exit_cleanup.h"
#include "capture/process/oom.h"

static gboolean is_kept(int fd, const int *kept, guint count)
{
	for (guint i = 0; i < count; i++) {
		if (kept[i] == fd)
			return TRUE;
	}
	return FALSE;
}

/*
 * Closes the recorder's descriptors. They are close-on-exec, but a child may live long without an
 * exec.
 */
static void close_recorders(const int *kept, guint count)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name); /* 0 for "." and "..": standard input is kept */

		if (fd != dirfd(dir) && !is_kept(fd, kept, count) &&
		    (fcntl(fd, F_GETFD) & FD_CLOEXEC))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

void child_keep_only(int fd)
{
	if (fd > 0)
		close_range(0, (unsigned int)fd - 1, 0);
	close_range((unsigned int)fd + 1, ~0U, 0);
}

void child_begin(const int *kept, guint count)
{
	exit_cleanup_forget();
	oom_release();
	close_recorders(kept, count);
}
