// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/buildids.h"

#include <string.h>

#include "base/seed.h"

#define DIGITS_MAX 128
#define NAMES_MAX  16384 /* more are not from a recorder */
#define IDS_MAX    256   /* of a name: number of builds of a module */

struct BuildIds {
	GHashTable *by_name; /* to GPtrArray of char * */
	GPtrArray *names;    /* in order; owned by by_name */
};

static void free_ids(gpointer ids)
{
	g_ptr_array_unref(ids);
}

BuildIds *buildids_new(void)
{
	BuildIds *ids = g_new0(BuildIds, 1);

	ids->by_name = g_hash_table_new_full(seed_text, g_str_equal, g_free, free_ids);
	ids->names = g_ptr_array_new();
	return ids;
}

void buildids_free(BuildIds *ids)
{
	if (!ids)
		return;
	g_ptr_array_unref(ids->names);
	g_hash_table_unref(ids->by_name);
	g_free(ids);
}

static gboolean is_id(const char *id)
{
	gsize len = strlen(id);

	return len && len % 2 == 0 && len <= DIGITS_MAX && strspn(id, "0123456789abcdef") == len;
}

gboolean buildids_add(BuildIds *ids, const char *name, const char *id)
{
	GPtrArray *known = g_hash_table_lookup(ids->by_name, name);

	if (!*name || !is_id(id) || (!known && ids->names->len == NAMES_MAX))
		return FALSE;
	if (!known) {
		char *key = g_strdup(name);

		known = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(ids->by_name, key, known);
		g_ptr_array_add(ids->names, key);
	}
	if (g_ptr_array_find_with_equal_func(known, id, g_str_equal, NULL))
		return TRUE;
	if (known->len == IDS_MAX)
		return FALSE;
	g_ptr_array_add(known, g_strdup(id));
	return TRUE;
}

guint64 buildids_add_text(BuildIds *ids, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	guint64 skipped = 0;

	for (guint i = 0; lines[i]; i++) {
		char *id = strchr(lines[i], ' ');

		if (id)
			*id++ = 0;
		if ((*lines[i] || id) && (!id || !buildids_add(ids, lines[i], id)))
			skipped++;
	}
	return skipped;
}

const GPtrArray *buildids_of(const BuildIds *ids, const char *name)
{
	return g_hash_table_lookup(ids->by_name, name ? name : BUILDID_KERNEL);
}

void buildids_each(const BuildIds *ids,
		   void (*take)(const char *name, const char *id, gpointer data), gpointer data)
{
	for (guint i = 0; i < ids->names->len; i++) {
		const char *name = g_ptr_array_index(ids->names, i);
		const GPtrArray *known = g_hash_table_lookup(ids->by_name, name);

		for (guint j = 0; j < known->len; j++)
			take(name, g_ptr_array_index(known, j), data);
	}
}
