// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/usermaps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buildid.h"
#include "capture/snapshot.h"

struct UserMaps {
	GHashTable *files;	/* "inode path" of those that were found in processes */
};

UserMaps *usermaps_new(void)
{
	UserMaps *maps = g_new0(UserMaps, 1);

	maps->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return maps;
}

void usermaps_free(UserMaps *maps)
{
	if (!maps)
		return;
	g_hash_table_unref(maps->files);
	g_free(maps);
}

/* ---- processes ---- */

/* A line of /proc/PID/maps, if it is code of a file: "start end offset inode path". */
static void take_line(UserMaps *maps, const char *line, GString *text)
{
	guint64 start, end, offset, inode;
	char mode[5];
	int path = 0;

	if (sscanf(line,
		   "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s %" G_GINT64_MODIFIER
		   "x %*s %" G_GUINT64_FORMAT " %n",
		   &start, &end, mode, &offset, &inode, &path) < 5 || !path || line[path] != '/' ||
	    strlen(mode) < 3 || mode[2] != 'x')
		return;
	g_string_append_printf(text,
			       "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
			       "x %" G_GUINT64_FORMAT " %s\n",
			       start, end, offset, inode, line + path);
	g_hash_table_add(maps->files, g_strdup_printf("%" G_GUINT64_FORMAT " %s", inode, line + path));
}

static void take_process(UserMaps *maps, const char *pid, GString *text)
{
	g_autofree char *path = g_build_filename("/proc", pid, "maps", NULL);
	g_autofree char *all = NULL;
	g_auto(GStrv) lines = NULL;
	gsize head = text->len, before;
	struct timespec ts;

	if (!g_file_get_contents(path, &all, NULL, NULL))
		return;		/* it has ended */
	clock_gettime(CLOCK_MONOTONIC, &ts);
	g_string_append_printf(text, "process %s %" G_GUINT64_FORMAT "\n", pid,
			       (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec);
	before = text->len;
	lines = g_strsplit(all, "\n", -1);
	for (guint i = 0; lines[i]; i++)
		take_line(maps, lines[i], text);
	if (text->len == before)
		g_string_truncate(text, head);
}

gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		if (g_ascii_isdigit(name[0]))
			take_process(maps, name, text);
	}
	return snapshot_write_text(writer, "process_maps", KMEMTRACE_PHASE_START, text->str,
				   text->len, error);
}

/* ---- files ---- */

/* What was mapped from @path had @inode: another one that lies there now isn't it. */
static void identify(GString *text, guint64 inode, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	g_autofree char *build_id = NULL;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == inode) {
		build_id = buildid_read(fd);
		g_string_append_printf(text,
				       "%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
				       " %" G_GUINT64_FORMAT " %s %s\n",
				       inode, (gint64)st.st_size,
				       (guint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
				       build_id ? build_id : "-", path);
	}
	close(fd);
}

/* Lines "id inode path". */
static void take_tracer_files(UserMaps *maps, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		const char *inode = strchr(lines[i], ' ');

		if (inode)
			g_hash_table_add(maps->files, g_strdup(inode + 1));
	}
}

gboolean usermaps_write_files(UserMaps *maps, struct trace_writer *writer, const Control *control,
			      GError **error)
{
	g_autofree char *files = control_read(control, "files", NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	GHashTableIter iter;
	gpointer key;

	if (files) {
		take_tracer_files(maps, files);
		if (!snapshot_write_text(writer, "files", KMEMTRACE_PHASE_END, files,
					 strlen(files), error))
			return FALSE;
	}
	g_hash_table_iter_init(&iter, maps->files);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		char *path;
		guint64 inode = g_ascii_strtoull(key, &path, 10);

		if (path[0] == ' ' && path[1] == '/')
			identify(text, inode, path + 1);
	}
	return snapshot_write_text(writer, "elf_files", KMEMTRACE_PHASE_END, text->str, text->len,
				   error);
}
