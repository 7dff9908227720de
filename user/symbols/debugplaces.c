// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/debugplaces.h"

#include <string.h>

#include "base/seed.h"

#define FOLDER_DEPTH_MAX 16 /* of a module below its kernel's folder */

struct DebugIndex {
	char *vmlinux;       /* or NULL */
	char *root;          /* "" or a folder, without a slash at its end */
	char *release;       /* "": unknown */
	GHashTable *modules; /* name to GPtrArray of paths; NULL: not read yet */
};

/* Folders of a root in which distributions keep debug files, then the root itself. */
static const char *const prefixes[] = { "/usr/lib/debug", "" };

static gboolean is_plain(const char *name)
{
	return name && *name && *name != '.' && !strchr(name, '/');
}

DebugIndex *debugindex_new(const DebugPlaces *places, const char *release)
{
	DebugIndex *index = g_new0(DebugIndex, 1);
	gsize len;

	index->vmlinux = g_strdup(places->vmlinux);
	index->root = g_strdup(places->symfs ? places->symfs : "");
	len = strlen(index->root);
	while (len && index->root[len - 1] == '/')
		index->root[--len] = 0;
	index->release = g_strdup(is_plain(release) ? release : "");
	return index;
}

void debugindex_free(DebugIndex *index)
{
	if (!index)
		return;
	g_clear_pointer(&index->modules, g_hash_table_unref);
	g_free(index->release);
	g_free(index->root);
	g_free(index->vmlinux);
	g_free(index);
}

/* ---- modules ---- */

/* Returns "nf_tables" for "nf-tables.ko.debug"; NULL: not a module. */
static char *module_name(const char *file)
{
	static const char *const endings[] = { ".ko", ".ko.debug" };

	for (guint i = 0; i < G_N_ELEMENTS(endings); i++) {
		if (g_str_has_suffix(file, endings[i])) {
			gsize len = strlen(file) - strlen(endings[i]);

			return g_strdelimit(g_strndup(file, len), "-", '_');
		}
	}
	return NULL;
}

static void free_paths(gpointer paths)
{
	g_ptr_array_unref(paths);
}

/* Returns FALSE if the file is not a module. */
static gboolean add_module(DebugIndex *index, const char *file, const char *path)
{
	g_autofree char *name = module_name(file);
	GPtrArray *paths;

	if (!name)
		return FALSE;
	paths = g_hash_table_lookup(index->modules, name);
	if (!paths) {
		paths = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(index->modules, g_steal_pointer(&name), paths);
	}
	g_ptr_array_add(paths, g_strdup(path));
	return TRUE;
}

/* Does not follow links to folders: "build" and "source" lead to source trees. */
static void add_folder(DebugIndex *index, const char *folder, guint depth)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *file;

	while (dir && (file = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, file, NULL);

		if (!add_module(index, file, path) && depth &&
		    !g_file_test(path, G_FILE_TEST_IS_SYMLINK) &&
		    g_file_test(path, G_FILE_TEST_IS_DIR))
			add_folder(index, path, depth - 1);
	}
}

static void read_modules(DebugIndex *index)
{
	index->modules = g_hash_table_new_full(seed_text, g_str_equal, g_free, free_paths);
	for (guint i = 0; *index->release && i < G_N_ELEMENTS(prefixes); i++) {
		g_autofree char *folder = g_strconcat(index->root, prefixes[i], "/lib/modules/",
						      index->release, NULL);

		add_folder(index, folder, FOLDER_DEPTH_MAX);
	}
	if (*index->root)
		add_folder(index, index->root, 0);
}

/* ---- files ---- */

static void add_file(GPtrArray *files, char *path)
{
	if (access(path, F_OK) == 0)
		g_ptr_array_add(files, path);
	else
		g_free(path);
}

static void add_by_id(const DebugIndex *index, const GPtrArray *ids, GPtrArray *files)
{
	for (guint i = 0; ids && i < ids->len; i++) {
		const char *id = g_ptr_array_index(ids, i);

		for (guint j = 0; strlen(id) > 2 && j < G_N_ELEMENTS(prefixes); j++)
			add_file(files, g_strdup_printf("%s%s/.build-id/%.2s/%s.debug", index->root,
							prefixes[j], id, id + 2));
	}
}

static void add_kernels(const DebugIndex *index, GPtrArray *files)
{
	const char *release = index->release, *root = index->root;

	for (guint i = 0; *release && i < G_N_ELEMENTS(prefixes); i++) {
		const char *prefix = prefixes[i];

		add_file(files, g_strconcat(root, prefix, "/boot/vmlinux-", release, NULL));
		add_file(files,
			 g_strconcat(root, prefix, "/lib/modules/", release, "/vmlinux", NULL));
		add_file(files, g_strconcat(root, prefix, "/lib/modules/", release,
					    "/build/vmlinux", NULL));
	}
	if (*root)
		add_file(files, g_strconcat(root, "/vmlinux", NULL));
}

GPtrArray *debugindex_files(DebugIndex *index, const char *name, const GPtrArray *ids)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
	const GPtrArray *paths;

	if (!name && index->vmlinux) {
		g_ptr_array_add(files, g_strdup(index->vmlinux));
		return files;
	}
	add_by_id(index, ids, files);
	if (!name) {
		add_kernels(index, files);
		return files;
	}
	if (!index->modules)
		read_modules(index);
	paths = g_hash_table_lookup(index->modules, name);
	for (guint i = 0; paths && i < paths->len; i++)
		g_ptr_array_add(files, g_strdup(g_ptr_array_index(paths, i)));
	return files;
}
