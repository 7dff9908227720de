// SPDX-License-Identifier: GPL-2.0-or-later
#include "folder.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *path;
static pid_t owner;

static void remove_folder(void)
{
	if (owner == getpid() && folder_clear(""))
		g_rmdir(path);
}

const char *folder_path(void)
{
	if (owner == getpid())
		return path;
	path = g_dir_make_tmp("kmt-fuzz-XXXXXX", NULL);
	g_assert_nonnull(path);
	owner = getpid();
	atexit(remove_folder);
	return path;
}

guint folder_count(void)
{
	GDir *dir = g_dir_open(folder_path(), 0, NULL);
	guint count = 0;

	g_assert_nonnull(dir);
	while (g_dir_read_name(dir))
		count++;
	g_dir_close(dir);
	return count;
}

gboolean folder_clear(const char *kept)
{
	GDir *dir = g_dir_open(folder_path(), 0, NULL);
	const char *name;

	if (!dir)
		return FALSE;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		if (strcmp(name, kept) != 0)
			g_unlink(file);
	}
	g_dir_close(dir);
	return TRUE;
}
