// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/merged_caches.h"

#include "base/glob.h"
#include "base/seed.h"

/* Caches with common slabs; most have only one. */
typedef struct {
	GPtrArray *names; /* of all: keys of MergedCaches.groups, as the following */
	GPtrArray *used;  /* those that events have */
	char *text;       /* these, joined; NULL: not yet */
} Group;

struct MergedCaches {
	GHashTable *groups; /* name to Group, several to one */
	GHashTable *all;    /* set of these groups */
	GHashTable *used;   /* set of names that events have */
};

static void free_group(gpointer data)
{
	Group *group = data;

	g_ptr_array_unref(group->names);
	g_ptr_array_unref(group->used);
	g_free(group->text);
	g_free(group);
}

MergedCaches *merged_caches_new(void)
{
	MergedCaches *caches = g_new0(MergedCaches, 1);

	caches->groups = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	caches->all = g_hash_table_new_full(seed_number, NULL, free_group, NULL);
	caches->used = g_hash_table_new(seed_text, g_str_equal);
	return caches;
}

void merged_caches_free(MergedCaches *caches)
{
	if (!caches)
		return;
	g_hash_table_unref(caches->used);
	g_hash_table_unref(caches->all);
	g_hash_table_unref(caches->groups);
	g_free(caches);
}

static Group *group_of(MergedCaches *caches, const char *name)
{
	Group *group = g_hash_table_lookup(caches->groups, name);
	char *copy;

	if (group)
		return group;
	copy = g_strdup(name);
	group = g_new0(Group, 1);
	group->names = g_ptr_array_new();
	group->used = g_ptr_array_new();
	g_ptr_array_add(group->names, copy);
	g_hash_table_insert(caches->groups, copy, group);
	g_hash_table_add(caches->all, group);
	return group;
}

/* Moves the caches of the smaller group to the larger one, so that each moves a few times. */
static Group *merge(MergedCaches *caches, Group *a, Group *b)
{
	Group *to = a->names->len >= b->names->len ? a : b, *from = to == a ? b : a;

	if (a == b)
		return a;
	for (guint i = 0; i < from->names->len; i++)
		g_hash_table_insert(caches->groups, g_strdup(from->names->pdata[i]), to);
	g_ptr_array_extend(to->names, from->names, NULL, NULL);
	g_ptr_array_extend(to->used, from->used, NULL, NULL);
	g_clear_pointer(&to->text, g_free);
	g_hash_table_remove(caches->all, from);
	return to;
}

static void use(MergedCaches *caches, const char *name)
{
	Group *group = group_of(caches, name);
	gpointer key = (gpointer)merged_caches_name(caches, name);

	if (!g_hash_table_add(caches->used, key))
		return;
	g_ptr_array_add(group->used, key);
	g_clear_pointer(&group->text, g_free);
}

static void take_used(StoreRows *rows, gpointer caches)
{
	use(caches, store_rows_raw(rows, 0));
}

/* Columns of merged_caches.sql: sorted by the first. */
enum { SLABS, NAME };

gboolean merged_caches_add(MergedCaches *caches, StoreDb *db, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "merged_caches", NULL, error);
	g_autofree char *slabs = NULL;
	Group *group = NULL;

	while (store_rows_next(rows)) {
		Group *next = group_of(caches, store_rows_raw(rows, NAME));

		if (g_strcmp0(slabs, store_rows_raw(rows, SLABS)) == 0) {
			group = merge(caches, group, next);
			continue;
		}
		g_free(slabs);
		slabs = g_strdup(store_rows_raw(rows, SLABS));
		group = next;
	}
	return store_rows_done(rows, error) &&
	       store_each(db, "used_caches", NULL, take_used, caches, error);
}

const char *merged_caches_name(const MergedCaches *caches, const char *name)
{
	gpointer key = NULL;

	g_hash_table_lookup_extended(caches->groups, name, &key, NULL);
	return key;
}

const char *merged_caches_first(const MergedCaches *caches, const char *name)
{
	const Group *group = g_hash_table_lookup(caches->groups, name);

	return group && group->used->len ? group->used->pdata[0] : name;
}

const char *merged_caches_used(MergedCaches *caches, const char *name)
{
	Group *group = g_hash_table_lookup(caches->groups, name);

	if (!group || group->used->len < 2)
		return name;
	if (!group->text) {
		g_ptr_array_add(group->used, NULL);
		group->text = g_strjoinv(", ", (char **)group->used->pdata);
		g_ptr_array_set_size(group->used, group->used->len - 1);
	}
	return group->text;
}

static gboolean matches_one(const GPtrArray *globs, const char *name)
{
	for (guint i = 0; i < globs->len; i++) {
		if (glob_matches(globs->pdata[i], name))
			return TRUE;
	}
	return FALSE;
}

GHashTable *merged_caches_find(const MergedCaches *caches, const GPtrArray *globs)
{
	GHashTable *found = g_hash_table_new(seed_text, g_str_equal);
	GHashTableIter iter;
	gpointer name, value;

	g_hash_table_iter_init(&iter, caches->groups);
	while (g_hash_table_iter_next(&iter, &name, &value)) {
		const Group *group = value;

		if (g_hash_table_contains(found, name) || !matches_one(globs, name))
			continue;
		for (guint i = 0; i < group->names->len; i++)
			g_hash_table_add(found, group->names->pdata[i]);
	}
	return found;
}

char *merged_caches_ids(const MergedCaches *caches, StoreDb *db, const char *name, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "cache_ids", NULL, error);
	const Group *group = g_hash_table_lookup(caches->groups, name);
	g_autoptr(GString) ids = g_string_new("[");

	while (store_rows_next(rows)) {
		const Group *other = g_hash_table_lookup(caches->groups, store_rows_raw(rows, 1));

		if (group && other == group)
			g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, ids->len > 1 ? "," : "",
					       store_rows_int(rows, 0));
	}
	g_string_append_c(ids, ']');
	return store_rows_done(rows, error) ? g_strdup(ids->str) : NULL;
}
