// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/descriptor.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __thread int given_fd = -1;
static int (*open_by_name)(const char *path, int flags, int mode);

static int duplicate(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* open(2), as SQLite calls it. */
static int open_descriptor(const char *path, int flags, int mode)
{
	int fd = given_fd;

	if (g_str_has_prefix(path, DESCRIPTOR_FOLDER))
		return duplicate(atoi(path + strlen(DESCRIPTOR_FOLDER)));
	if (fd < 0 || (flags & O_ACCMODE) != O_RDWR) /* SQLite's source of random numbers */
		return open_by_name(path, flags, mode);
	given_fd = -1;
	return duplicate(fd);
}

/* SQLite would look for the file, and follow links. */
static int keep_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
	(void)vfs;
	return g_strlcpy(out, name, room) < (gsize)room ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* The default VFS, but for names. */
static void take_over(void)
{
	static sqlite3_vfs vfs;
	static gsize done;
	sqlite3_vfs *unix_vfs;

	if (!g_once_init_enter(&done))
		return;
	unix_vfs = sqlite3_vfs_find(NULL);
	open_by_name = (int (*)(const char *, int, int))unix_vfs->xGetSystemCall(unix_vfs, "open");
	unix_vfs->xSetSystemCall(unix_vfs, "open", (sqlite3_syscall_ptr)open_descriptor);
	vfs = *unix_vfs;
	vfs.zName = DESCRIPTOR_VFS;
	vfs.pNext = NULL;
	vfs.xFullPathname = keep_name;
	sqlite3_vfs_register(&vfs, 0);
	g_once_init_leave(&done, 1);
}

char *descriptor_path(int fd)
{
	take_over();
	return g_strdup_printf(DESCRIPTOR_FOLDER "%d", fd);
}

void descriptor_give(int fd)
{
	take_over();
	given_fd = fd;
}

gboolean descriptor_was_taken(void)
{
	gboolean taken = given_fd < 0;

	given_fd = -1;
	return taken;
}
