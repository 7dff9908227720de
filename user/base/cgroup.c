// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/cgroup.h"

#include <string.h>

#define MOUNT "/sys/fs/cgroup"

/* Returns G_MAXUINT64 for "max" or a missing file. */
static guint64 read_limit(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL), *text = NULL;
	guint64 bytes;

	if (!g_file_get_contents(path, &text, NULL, NULL) ||
	    !g_ascii_string_to_unsigned(g_strstrip(text), 10, 0, G_MAXUINT64, &bytes, NULL))
		return G_MAXUINT64;
	return bytes;
}

/*
 * Returns the lowest of @names in the group @path below @mount and its ancestors. In a container
 * the path may be the host's: then only the mount's own limits are found, which are the
 * container's.
 */
static guint64 lowest_limit(const char *mount, const char *path, const char *const *names)
{
	g_autofree char *group = g_strdup(strstr(path, "/..") ? "" : path);
	guint64 limit = G_MAXUINT64;

	for (;;) {
		g_autofree char *folder = g_strconcat(mount, group, NULL);
		char *slash = strrchr(group, '/');

		for (guint i = 0; names[i]; i++)
			limit = MIN(limit, read_limit(folder, names[i]));
		if (!slash)
			return limit;
		*slash = 0;
	}
}

/* @line: "ID:CONTROLLERS:PATH"; in version 2 "0::PATH". */
static guint64 limit_of_line(const char *root, const char *line)
{
	static const char *const names_v1[] = { "memory.limit_in_bytes", NULL };
	static const char *const names_v2[] = { "memory.max", "memory.high", NULL };
	g_auto(GStrv) fields = g_strsplit(line, ":", 3), controllers = NULL;
	g_autofree char *mount = NULL;

	if (g_strv_length(fields) < 3)
		return G_MAXUINT64;
	controllers = g_strsplit(fields[1], ",", -1);
	if (!strcmp(fields[0], "0") && !fields[1][0])
		mount = g_strconcat(root, MOUNT, NULL);
	else if (g_strv_contains((const char *const *)controllers, "memory"))
		mount = g_strconcat(root, MOUNT "/memory", NULL);
	else
		return G_MAXUINT64;
	return lowest_limit(mount, fields[2], fields[1][0] ? names_v1 : names_v2);
}

guint64 cgroup_memory_limit(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/self/cgroup", NULL), *text = NULL;
	g_auto(GStrv) lines = NULL;
	guint64 limit = G_MAXUINT64;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return limit;
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++)
		limit = MIN(limit, limit_of_line(root, lines[i]));
	return limit;
}
