// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/groups.h"

#include <string.h>

static gboolean read_limits(StoreDb *db, Groups *groups, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "group_limits", NULL, error);

	if (!rows)
		return FALSE;
	groups->origins = CLAMP(store_rows_int(rows, 0), 0, G_MAXINT32);
	groups->tasks = CLAMP(store_rows_int(rows, 1), 0, G_MAXINT32);
	groups->span_ns = MAX(store_rows_int(rows, 2), 0);
	groups->page_size = store_rows_int(rows, 3);
	return TRUE;
}

/* The group without tasks that begins with origin @first; @seen: by origin, of those that do. */
static guint32 group_of_first(Groups *groups, guint32 *seen, guint32 first)
{
	if (seen[first] == GROUPS_NONE) {
		seen[first] = groups->firsts->len;
		g_array_append_val(groups->firsts, first);
	}
	return seen[first];
}

static gboolean read_origins(StoreDb *db, const char *const *params, Groups *groups, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "groups", params, error);
	g_autofree guint32 *seen = g_new(guint32, (gsize)groups->origins + 1);

	if (!rows)
		return FALSE;
	memset(seen, 0xff, sizeof(*seen) * ((gsize)groups->origins + 1));
	while (store_rows_next(rows)) {
		gint64 id = store_rows_int(rows, 0), first = store_rows_int(rows, 1);

		if (id < 0 || id > groups->origins || first < 0 || first > groups->origins)
			continue;
		groups->origin[id].group = group_of_first(groups, seen, first);
		groups->origin[id].kind = store_rows_int(rows, 2);
		groups->origin[id].bytes = store_rows_int(rows, 3);
	}
	return store_rows_done(rows, error);
}

static gboolean read_tasks(StoreDb *db, const char *const *params, Groups *groups, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "group_tasks", params, error);

	while (store_rows_next(rows)) {
		gint64 id = store_rows_int(rows, 0), first = store_rows_int(rows, 1);

		if (id >= 0 && id <= groups->tasks && first >= 0 && first <= groups->tasks)
			groups->task[id] = first;
	}
	return store_rows_done(rows, error);
}

gboolean groups_read(StoreDb *db, const char *by, const char *site, Groups *groups, GError **error)
{
	const char *params[] = { ":by", by, ":site", site, NULL };

	*groups = (Groups){ .by_task = !strcmp(by, "task") || !strcmp(by, "thread") };
	if (!read_limits(db, groups, error))
		return FALSE;
	groups->firsts = g_array_new(FALSE, FALSE, sizeof(guint32));
	groups->task = g_new0(guint32, (gsize)groups->tasks + 1);
	groups->origin = g_new0(GroupOrigin, (gsize)groups->origins + 1);
	for (gsize i = 0; i <= groups->origins; i++)
		groups->origin[i].group = GROUPS_NONE;
	return read_origins(db, params, groups, error) && read_tasks(db, params, groups, error);
}

void groups_clear(Groups *groups)
{
	g_clear_pointer(&groups->origin, g_free);
	g_clear_pointer(&groups->task, g_free);
	g_clear_pointer(&groups->firsts, g_array_unref);
}

gsize groups_count(const Groups *groups)
{
	return groups->firsts->len * (groups->by_task ? (gsize)groups->tasks + 1 : 1);
}

void groups_append(const Groups *groups, gsize group, GString *json)
{
	gsize tasks = groups->by_task ? (gsize)groups->tasks + 1 : 1;

	g_string_append_printf(json, "%u,%u", g_array_index(groups->firsts, guint32, group / tasks),
			       (guint)(group % tasks));
}
