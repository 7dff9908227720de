// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/spaces/space_files.h"

#include <string.h>

#include "base/seed.h"
#include "base/tokenize.h"

struct SpaceFiles {
	GArray *files;       /* of SpaceFile, by number - 1 */
	GHashTable *by_name; /* "inode path" to number */
	GHashTable *by_id;   /* the tracer's id to number */
};

static void clear_file(gpointer data)
{
	SpaceFile *file = data;

	g_free((char *)file->path);
	g_free((char *)file->build_id);
}

SpaceFiles *space_files_new(void)
{
	SpaceFiles *files = g_new0(SpaceFiles, 1);

	files->files = g_array_new(FALSE, TRUE, sizeof(SpaceFile));
	g_array_set_clear_func(files->files, clear_file);
	files->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	files->by_id = g_hash_table_new(seed_number, NULL);
	return files;
}

void space_files_free(SpaceFiles *files)
{
	g_array_unref(files->files);
	g_hash_table_unref(files->by_name);
	g_hash_table_unref(files->by_id);
	g_free(files);
}

static char *file_name(guint64 inode, const char *path)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s", inode, path);
}

guint32 space_files_add(SpaceFiles *files, guint64 inode, const char *path)
{
	SpaceFile file = { .inode = inode };
	g_autofree char *name = NULL;
	guint32 number;

	if (strnlen(path, PATH_MAX) == PATH_MAX)
		return 0;
	name = file_name(inode, path);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(files->by_name, name));
	if (number)
		return number;
	file.path = g_strdup(path);
	g_array_append_val(files->files, file);
	g_hash_table_insert(files->by_name, g_steal_pointer(&name),
			    GUINT_TO_POINTER(files->files->len));
	return files->files->len;
}

void space_files_take_tracer_line(SpaceFiles *files, char *line)
{
	guint64 id, inode;

	if (tokenize_number(&line, 10, &id) && tokenize_number(&line, 10, &inode) && *line && id &&
	    id <= G_MAXUINT32)
		g_hash_table_insert(files->by_id, GUINT_TO_POINTER(id),
				    GUINT_TO_POINTER(space_files_add(files, inode, line)));
}

static gboolean is_build_id(const char *text)
{
	return *text && strspn(text, "0123456789abcdef") == strlen(text);
}

void space_files_take_elf_line(SpaceFiles *files, char *line)
{
	guint64 inode, size, mtime_ns;
	g_autofree char *name = NULL;
	SpaceFile *file;
	guint32 number;
	char *path;

	if (!tokenize_number(&line, 10, &inode) || !tokenize_number(&line, 10, &size) ||
	    !tokenize_number(&line, 10, &mtime_ns))
		return;
	path = strchr(line, ' ');
	if (!path)
		return;
	*path++ = '\0';
	name = file_name(inode, path);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(files->by_name, name));
	if (!number)
		return;
	file = &g_array_index(files->files, SpaceFile, number - 1);
	file->size = size;
	file->mtime_ns = mtime_ns;
	if (!file->build_id && is_build_id(line))
		file->build_id = g_strdup(line);
}

guint32 space_files_by_id(const SpaceFiles *files, guint32 id)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(files->by_id, GUINT_TO_POINTER(id)));
}

guint32 space_files_count(const SpaceFiles *files)
{
	return files->files->len;
}

const SpaceFile *space_files_get(const SpaceFiles *files, guint32 number)
{
	return &g_array_index(files->files, SpaceFile, number - 1);
}
