// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/slabnames.h"

#include <stdio.h>
#include <string.h>

#include "base/compare.h"
#include "base/seed.h"
#include "base/slabinfo.h"

#define LINKS_DIR "/sys/kernel/slab"

struct SlabNames {
	GHashTable *sizes; /* name in slabinfo to bytes of an object, owned */
	GHashTable *slabs; /* name of a link to its slabs */
	GPtrArray *all;    /* owned names, sorted, without duplicates, then NULL */
};

static void add_slabinfo(SlabNames *names, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		gsize len = slabinfo_name_len(lines[i]);
		guint64 size;

		if (len && sscanf(lines[i] + len, "%*u %*u %" G_GUINT64_FORMAT, &size) == 1)
			g_hash_table_replace(names->sizes, g_strndup(lines[i], len),
					     g_memdup2(&size, sizeof(size)));
	}
}

static void add_links(SlabNames *names, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		const char *name = strchr(lines[i], ' ');

		if (name)
			g_hash_table_replace(names->slabs, g_strdup(name + 1),
					     g_strndup(lines[i], name - lines[i]));
	}
}

static void add_names(GPtrArray *all, GHashTable *table, GHashTable *but)
{
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		if (!but || !g_hash_table_contains(but, name))
			g_ptr_array_add(all, g_strdup(name));
	}
}

SlabNames *slabnames_new(const char *slabinfo, const char *links)
{
	SlabNames *names = g_new0(SlabNames, 1);

	names->sizes = g_hash_table_new_full(seed_text, g_str_equal, g_free, g_free);
	names->slabs = g_hash_table_new_full(seed_text, g_str_equal, g_free, g_free);
	names->all = g_ptr_array_new_with_free_func(g_free);
	add_slabinfo(names, slabinfo);
	add_links(names, links);
	add_names(names->all, names->sizes, NULL);
	add_names(names->all, names->slabs, names->sizes);
	g_ptr_array_sort(names->all, compare_texts);
	g_ptr_array_add(names->all, NULL);
	return names;
}

SlabNames *slabnames_read(void)
{
	g_autofree char *links = slabnames_links_text();
	g_autofree char *slabinfo = NULL;

	(void)!g_file_get_contents("/proc/slabinfo", &slabinfo, NULL, NULL);
	return slabnames_new(slabinfo, links);
}

void slabnames_free(SlabNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->sizes);
	g_hash_table_unref(names->slabs);
	g_ptr_array_unref(names->all);
	g_free(names);
}

gboolean slabnames_known(const SlabNames *names)
{
	return g_hash_table_size(names->sizes) > 0;
}

/* Returns whether the caches @a and @b share their slabs. */
static gboolean is_shared(const SlabNames *names, const char *a, const char *b)
{
	const char *slabs_a = g_hash_table_lookup(names->slabs, a);
	const char *slabs_b = g_hash_table_lookup(names->slabs, b);

	return slabs_a && slabs_b && strcmp(slabs_a, slabs_b) == 0;
}

const char *slabnames_find(const SlabNames *names, const char *name)
{
	const char *const *all = slabnames_all(names);
	gpointer found;

	if (g_hash_table_lookup_extended(names->sizes, name, &found, NULL))
		return found;
	/* The link of a destroyed cache may still exist, without slabs. */
	for (guint i = 0; all[i]; i++) {
		if (g_hash_table_contains(names->sizes, all[i]) && is_shared(names, name, all[i]))
			return all[i];
	}
	return NULL;
}

char *slabnames_shared(const SlabNames *names, const char *name)
{
	const char *const *all = slabnames_all(names);
	GString *text = g_string_new(NULL);

	for (guint i = 0; all[i]; i++) {
		if (strcmp(all[i], name) != 0 && is_shared(names, name, all[i]))
			g_string_append_printf(text, "%s%s", text->len ? ", " : "", all[i]);
	}
	return g_string_free(text, text->len == 0);
}

guint64 slabnames_object_size(const SlabNames *names, const char *name)
{
	const guint64 *size = g_hash_table_lookup(names->sizes, name);

	return size ? *size : 0;
}

const char *const *slabnames_all(const SlabNames *names)
{
	return (const char *const *)names->all->pdata;
}

/* A cache that was not merged has a folder of its own, and its name has no flags. */
static gboolean is_reclaimable(const char *path)
{
	g_autofree char *file = g_build_filename(path, "reclaim_account", NULL);
	g_autofree char *text = NULL;

	return g_file_get_contents(file, &text, NULL, NULL) && text[0] == '1';
}

/* Returns the slabs of the cache @name, for g_free(); NULL: not known. */
static char *read_slabs(const char *name)
{
	g_autofree char *path = g_build_filename(LINKS_DIR, name, NULL);
	char *slabs = g_file_read_link(path, NULL);

	if (!slabs && name[0] != ':' && is_reclaimable(path))
		slabs = g_strconcat(":a-", name, NULL);
	return slabs;
}

char *slabnames_links_text(void)
{
	g_autoptr(GDir) dir = g_dir_open(LINKS_DIR, 0, NULL);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	GString *text = g_string_new(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *slabs = read_slabs(name);

		if (slabs && !strpbrk(slabs, " \n") && !strchr(name, '\n'))
			g_ptr_array_add(lines, g_strdup_printf("%s %s\n", slabs, name));
	}
	g_ptr_array_sort(lines, compare_texts);
	for (guint i = 0; i < lines->len; i++)
		g_string_append(text, g_ptr_array_index(lines, i));
	return g_string_free(text, FALSE);
}
