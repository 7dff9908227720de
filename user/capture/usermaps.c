// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/usermaps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buildid.h"
#include "base/regular.h"
#include "base/seed.h"
#include "capture/snapshot.h"

#define BYTES_PER_SECOND	(32 << 10)	/* of texts that are written again, at most */

struct UserMaps {
	GHashTable *files;	/* "inode path" of those that were found → whether it has a line in */
	GString *identities;	/* "elf_files" */
	char *written;		/* the tracer's list that the file has, or NULL */
	gsize written_identities;	/* bytes of them that the file has */
	gint64 next_us;		/* when they may be written again; g_get_monotonic_time() */
};

UserMaps *usermaps_new(void)
{
	UserMaps *maps = g_new0(UserMaps, 1);

	maps->files = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	maps->identities = g_string_new(NULL);
	return maps;
}

void usermaps_free(UserMaps *maps)
{
	if (!maps)
		return;
	g_hash_table_unref(maps->files);
	g_string_free(maps->identities, TRUE);
	g_free(maps->written);
	g_free(maps);
}

static void note_file(UserMaps *maps, const char *name)
{
	if (!g_hash_table_contains(maps->files, name))
		g_hash_table_insert(maps->files, g_strdup(name), GINT_TO_POINTER(FALSE));
}

/* ---- processes ---- */

/* A line of /proc/PID/maps, if it is code of a file: "start end offset inode path". */
static void take_line(UserMaps *maps, const char *line, GString *text)
{
	g_autofree char *name = NULL;
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
	name = g_strdup_printf("%" G_GUINT64_FORMAT " %s", inode, line + path);
	note_file(maps, name);
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

gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, enum kmemtrace_phase phase,
			GError **error)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		if (g_ascii_isdigit(name[0]))
			take_process(maps, name, text);
	}
	return snapshot_write_text(writer, "process_maps", phase, text->str, text->len, error);
}

/* ---- files ---- */

/*
 * What was mapped from @path had @inode: another one that lies there now isn't it. FALSE: it isn't
 * there.
 */
static gboolean identify(GString *text, guint64 inode, const char *path)
{
	g_autofree char *build_id = NULL;
	gboolean found = FALSE;
	struct stat st;
	int fd = regular_open(path, &st);

	if (fd < 0)
		return FALSE;
	if (st.st_ino == inode) {
		build_id = buildid_read(fd);
		g_string_append_printf(text,
				       "%" G_GUINT64_FORMAT " %" G_GINT64_FORMAT
				       " %" G_GUINT64_FORMAT " %s %s\n",
				       inode, (gint64)st.st_size,
				       (guint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
				       build_id ? build_id : "-", path);
		found = TRUE;
	}
	close(fd);
	return found;
}

/* What is new, and what was not there when it was looked at. */
static void identify_all(UserMaps *maps)
{
	GHashTableIter iter;
	gpointer key, known;

	g_hash_table_iter_init(&iter, maps->files);
	while (g_hash_table_iter_next(&iter, &key, &known)) {
		char *path;
		guint64 inode = g_ascii_strtoull(key, &path, 10);

		if (!known && path[0] == ' ' && path[1] == '/' &&
		    identify(maps->identities, inode, path + 1))
			g_hash_table_iter_replace(&iter, GINT_TO_POINTER(TRUE));
	}
}

/* The tracer's list, lines "id inode path", or NULL. */
static char *read_files(UserMaps *maps, const Control *control)
{
	char *text = control_read(control, "files", NULL);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		const char *inode = strchr(lines[i], ' ');

		if (inode)
			note_file(maps, inode + 1);
	}
	return text;
}

static gboolean write_tracer_files(const char *text, struct trace_writer *writer, GError **error)
{
	return !text || snapshot_write_text(writer, "files", KMEMTRACE_PHASE_END, text, strlen(text),
					    error);
}

static gboolean write_identities(const UserMaps *maps, struct trace_writer *writer, GError **error)
{
	return snapshot_write_text(writer, "elf_files", KMEMTRACE_PHASE_END, maps->identities->str,
				   maps->identities->len, error);
}

gboolean usermaps_look(UserMaps *maps, struct trace_writer *writer, const Control *control,
		       GError **error)
{
	g_autofree char *files = NULL;
	gint64 now_us = g_get_monotonic_time();
	gsize bytes = 0;

	if (now_us < maps->next_us)
		return TRUE;
	files = read_files(maps, control);
	identify_all(maps);
	if (files && g_strcmp0(files, maps->written) != 0) {
		if (!write_tracer_files(files, writer, error))
			return FALSE;
		bytes += strlen(files);
		g_free(maps->written);
		maps->written = g_steal_pointer(&files);
	}
	if (maps->identities->len != maps->written_identities) {
		if (!write_identities(maps, writer, error))
			return FALSE;
		bytes += maps->written_identities = maps->identities->len;
	}
	maps->next_us = now_us + bytes * G_USEC_PER_SEC / BYTES_PER_SECOND;
	return TRUE;
}

void usermaps_new_file(UserMaps *maps)
{
	g_clear_pointer(&maps->written, g_free);
	maps->written_identities = 0;
	maps->next_us = 0;
}

gboolean usermaps_write_files(UserMaps *maps, struct trace_writer *writer, const Control *control,
			      GError **error)
{
	g_autofree char *files = read_files(maps, control);

	identify_all(maps);
	return write_tracer_files(files, writer, error) && write_identities(maps, writer, error);
}
