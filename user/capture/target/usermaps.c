// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/usermaps.h"

#include <string.h>

#include "base/message.h"
#include "base/seed.h"
#include "capture/target/snapshot.h"

#define BYTES_PER_SECOND (32 << 10) /* of texts that are written again, at most */
#define LOOK_SHARE       10         /* of the time, one part in so many is for files */

/*
 * What is kept of the processes, in bytes: any of them may map what it likes, 65,530 times and with
 * names of 4 KiB. A usual process has less than 20 KiB.
 */
#define PROCESS_TEXT_MAX (1 << 20)
#define TEXT_MAX         (32 << 20)
#define READ_MAX         (256 << 20) /* of /proc */
#define FILES_MAX        (16 << 20)  /* names of files */

struct UserMaps {
	Lookup *lookup;
	GHashTable *files;        /* "inode path" → whether it has a line in @identities */
	gsize file_bytes;         /* of these names */
	GString *identities;      /* "elf_files" */
	char *written;            /* the tracer's list that the file has, or NULL */
	gsize written_identities; /* bytes of them that the file has */
	gint64 next_us;           /* when they may be written again; g_get_monotonic_time() */
};

UserMaps *usermaps_new(Lookup *lookup)
{
	UserMaps *maps = g_new0(UserMaps, 1);

	maps->lookup = lookup;
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
	gsize len = strlen(name);

	if (g_hash_table_contains(maps->files, name) || maps->file_bytes + len > FILES_MAX)
		return;
	maps->file_bytes += len;
	g_hash_table_insert(maps->files, g_strdup(name), GINT_TO_POINTER(FALSE));
}

/* ---- processes ---- */

typedef struct {
	UserMaps *maps;
	GString *text;
	gsize read; /* bytes of /proc */
	guint cut;  /* processes that aren't in @text as a whole */
} Scan;

/* The files of lines "start end offset inode path". */
static void note_files(UserMaps *maps, const char *lines)
{
	g_auto(GStrv) each = g_strsplit(lines, "\n", -1);

	for (guint i = 0; each[i]; i++) {
		const char *name = each[i];

		for (guint field = 0; name && field < 3; field++) {
			name = strchr(name, ' ');
			name = name ? name + 1 : NULL;
		}
		if (name)
			note_file(maps, name);
	}
}

static void take_process(Scan *scan, const char *pid)
{
	g_autoptr(GString) lines = NULL;
	LookupMaps found;

	if (scan->text->len > TEXT_MAX || scan->read > READ_MAX) {
		scan->cut++;
		return;
	}
	lines = g_string_new(NULL);
	if (!lookup_maps(scan->maps->lookup, pid, PROCESS_TEXT_MAX, lines, &found))
		return;
	scan->read += found.read;
	scan->cut += found.cut;
	if (!lines->len)
		return;
	note_files(scan->maps, lines->str);
	g_string_append_printf(scan->text, "process %s %" G_GUINT64_FORMAT "\n%s", pid,
			       found.time_ns, lines->str);
}

gboolean usermaps_write(UserMaps *maps, struct trace_writer *writer, enum kmemtrace_phase phase,
			GError **error)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	Scan scan = { .maps = maps, .text = text };
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		if (g_ascii_isdigit(name[0]))
			take_process(&scan, name);
	}
	if (scan.cut)
		message("user stacks of %u process%s may be addresses alone: more code is mapped than is kept, %d MiB of text for one and %d MiB for all",
			scan.cut, scan.cut > 1 ? "es" : "", PROCESS_TEXT_MAX >> 20, TEXT_MAX >> 20);
	return snapshot_write_text(writer, "process_maps", phase, text->str, text->len, error);
}

/* ---- files ---- */

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
		    lookup_file(maps->lookup, inode, path + 1, maps->identities))
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
	return !text ||
	       snapshot_write_text(writer, "files", KMEMTRACE_PHASE_END, text, strlen(text), error);
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
	maps->next_us = now_us + MAX((gint64)bytes * G_USEC_PER_SEC / BYTES_PER_SECOND,
				     LOOK_SHARE * (g_get_monotonic_time() - now_us));
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
