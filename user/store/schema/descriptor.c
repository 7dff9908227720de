// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*open_by_name)(const char *path, int flags, int mode);

/* open(2), as SQLite calls it. */
static int open_descriptor(const char *path, int flags, int mode)
{
	const char *number = path + strlen(DESCRIPTOR_FOLDER);

	if (!g_str_has_prefix(path, DESCRIPTOR_FOLDER))
		return open_by_name(path, flags, mode);
	if (number[strspn(number, G_CSET_DIGITS)]) { /* a journal */
		errno = ENOENT;
		return -1;
	}
	return fcntl(atoi(number), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* Keeps the name: SQLite would resolve it, and follow links. */
static int keep_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
	(void)vfs;
	return g_strlcpy(out, name, room) < (gsize)room ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* Replaces SQLite's open(2), and registers a copy of the default VFS with keep_name(). */
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
