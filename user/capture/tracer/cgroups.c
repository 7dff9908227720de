// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "capture/tracer/control.h"

#define CGROUP2_MAGIC 0x63677270 /* linux/magic.h */
#define CGROUP_MOUNT  "/sys/fs/cgroup"

static const char *const mounts[] = { CGROUP_MOUNT, CGROUP_MOUNT "/unified" };

char *cgroups_dir(const char *path, guint64 *inode)
{
	const char *below = path;

	for (guint i = G_N_ELEMENTS(mounts); i-- > 0;) {
		if (below == path && g_str_has_prefix(path, mounts[i]))
			below = path + strlen(mounts[i]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(mounts); i++) {
		g_autofree char *dir = g_build_filename(mounts[i], below, NULL);
		struct statfs fs;
		struct stat st;

		if (statfs(dir, &fs) || fs.f_type != CGROUP2_MAGIC || stat(dir, &st) ||
		    !S_ISDIR(st.st_mode))
			continue;
		*inode = st.st_ino;
		return g_steal_pointer(&dir);
	}
	return NULL;
}

guint64 cgroups_inode(const char *path)
{
	guint64 inode = 0;

	g_free(path ? cgroups_dir(path, &inode) : NULL);
	return inode;
}

gboolean cgroups_find(const char *path, guint64 *inode, GError **error)
{
	g_autofree char *dir = cgroups_dir(path, inode);

	if (!dir)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "no cgroup '%s' of version 2 below %s", path, CGROUP_MOUNT);
	return dir != NULL;
}

/*
 * Returns a descriptor of the cgroup with this inode number in @dir or below; -1: none has it.
 * Counts in *@unread the directories that can't be opened.
 */
static int open_below(int dir, guint64 inode, guint *unread)
{
	int copy = dup(dir), found = -1;
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	*unread += !entries;
	if (!entries && copy >= 0)
		close(copy);
	while (entries && found < 0 && (entry = readdir(entries))) {
		int child;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, ".."))
			continue;
		child = openat(dir, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child >= 0 && entry->d_ino == inode) {
			found = child;
		} else if (child >= 0) {
			found = open_below(child, inode, unread);
			close(child);
		} else if (errno != ENOENT) {
			(*unread)++;
		}
	}
	if (entries)
		closedir(entries);
	return found;
}

/* Returns a descriptor of the root of the mount; -1: there is none. */
static int open_mount(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (dir >= 0 && (fstatfs(dir, &fs) || fs.f_type != CGROUP2_MAGIC)) {
		close(dir);
		return -1;
	}
	return dir;
}

/* As cgroups_open(). *@searched: the number of mounts that could be searched as a whole. */
static int search(guint64 inode, guint *searched)
{
	*searched = 0;
	for (guint i = 0; i < G_N_ELEMENTS(mounts); i++) {
		int dir = open_mount(mounts[i]), found;
		guint unread = 0;
		struct stat st;

		if (dir < 0)
			continue;
		if (!fstat(dir, &st) && st.st_ino == inode)
			return dir;
		found = open_below(dir, inode, &unread);
		close(dir);
		if (found >= 0)
			return found;
		*searched += !unread;
	}
	errno = ENOENT;
	return -1;
}

int cgroups_open(guint64 inode)
{
	guint searched;

	return search(inode, &searched);
}

gboolean cgroups_is_gone(guint64 inode)
{
	guint searched;
	int dir = search(inode, &searched);

	if (dir >= 0)
		close(dir);
	return dir < 0 && searched;
}
