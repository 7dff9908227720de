// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

typedef struct {
	guint64 start, end, offset;
	guint64 device, inode;
	gint64 ctime_ns;
	gint64 size; /* bytes; -1: unknown, like the time */
} Mapping;

/* Returns FALSE if the mapping isn't code of a file. *@path: offset of the path in @line. */
static gboolean read_line(const char *line, Mapping *mapping, int *path)
{
	unsigned int major, minor;
	char mode[5];

	*path = 0;
	if (sscanf(line,
		   "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s %" G_GINT64_MODIFIER
		   "x %x:%x %" G_GUINT64_FORMAT " %n",
		   &mapping->start, &mapping->end, mode, &mapping->offset, &major, &minor,
		   &mapping->inode, path) < 7)
		return FALSE;
	mapping->device = makedev(major, minor);
	mapping->ctime_ns = 0;
	mapping->size = -1;
	return *path && line[*path] == '/' && strlen(mode) >= 3 && mode[2] == 'x';
}

/*
 * Follows the link to the mapped file itself, without opening it, and without a request to the
 * server of a file system. Returns FALSE if it is no longer mapped.
 */
static gboolean read_file(int map_files, Mapping *mapping)
{
	const int flags = AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT;
	struct statx st;
	char name[64];

	if (map_files < 0)
		return TRUE;
	snprintf(name, sizeof(name), "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x",
		 mapping->start, mapping->end);
	if (statx(map_files, name, flags, STATX_BASIC_STATS, &st))
		return errno == EPERM || errno == EACCES;
	mapping->device = makedev(st.stx_dev_major, st.stx_dev_minor);
	mapping->inode = st.stx_ino;
	mapping->ctime_ns =
		(gint64)st.stx_ctime.tv_sec * G_GINT64_CONSTANT(1000000000) + st.stx_ctime.tv_nsec;
	mapping->size = (gint64)st.stx_size;
	return TRUE;
}

void mapping_append(int map_files, const char *line, GString *text)
{
	Mapping mapping;
	int path;

	if (!read_line(line, &mapping, &path) || !read_file(map_files, &mapping))
		return;
	g_string_append_printf(text,
			       "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
			       "x %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
			       " %" G_GINT64_FORMAT " %s",
			       mapping.start, mapping.end, mapping.offset, mapping.device,
			       mapping.inode, mapping.ctime_ns, mapping.size, line + path);
}
