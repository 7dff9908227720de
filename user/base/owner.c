// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/owner.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_MAX	64	/* bytes */

static gboolean read_id(const char *name, guint *id)
{
	const char *text = g_getenv(name);
	guint64 number;

	if (!text || !g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT, &number, NULL))
		return FALSE;
	*id = number;
	return TRUE;
}

void owner_begin(Owner *owner, const char *path, gboolean replaces)
{
	struct stat st;
	guint uid;

	g_clear_pointer(&owner->path, g_free);
	if (geteuid() == 0 && read_id("SUDO_UID", &uid) && (replaces || lstat(path, &st) != 0))
		owner->path = g_strdup(path);
}

/* Whether it is the file that we have made, and nothing that was put in its place. */
static gboolean is_ours(int fd, const void *magic, gsize len)
{
	char start[MAGIC_MAX];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 && st.st_nlink == 1 &&
	       len <= sizeof(start) && pread(fd, start, len, 0) == (ssize_t)len &&
	       memcmp(start, magic, len) == 0;
}

/* That it stays root's is no failure: the trace is there. */
void owner_give(int fd)
{
	guint uid, gid;

	if (geteuid() == 0 && read_id("SUDO_UID", &uid) && read_id("SUDO_GID", &gid))
		(void)!fchown(fd, uid, gid);
}

void owner_end(Owner *owner, const void *magic, gsize len)
{
	g_autofree char *path = g_steal_pointer(&owner->path);
	int fd;

	if (!path)
		return;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	if (is_ours(fd, magic, len))
		owner_give(fd);
	close(fd);
}
