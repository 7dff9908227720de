// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/groups.h"

#include <string.h>

#include "base/seed.h"

const char *const groups_words[] = { "stack", "site", "module", "cache", "process", "thread",
				     "kind",  "cpu",  "node",   "order", "size",    NULL };

const char *groups_title(const char *by)
{
	static const char *const titles[][2] = {
		{ "site", "call site" },   { "task", "process" },     { "cpu", "CPU" },
		{ "node", "memory node" }, { "order", "page order" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(titles); i++) {
		if (!strcmp(titles[i][0], by))
			return titles[i][1];
	}
	return by;
}

static void take_limits(StoreRows *rows, gpointer data)
{
	Groups *groups = data;

	groups->origins = CLAMP(store_rows_int(rows, 0), 0, G_MAXINT32);
	groups->tasks = CLAMP(store_rows_int(rows, 1), 0, G_MAXINT32);
	groups->span_ns = MAX(store_rows_int(rows, 2), 0);
	groups->page_size = store_rows_int(rows, 3);
	groups->factor = MAX(store_rows_int(rows, 4), 1);
}

/* Sets the first origin of @group to the lowest @id so far. */
static void add_first(Groups *groups, guint32 group, guint32 id)
{
	guint32 *first;

	if (group >= groups->firsts->len)
		g_array_set_size(groups->firsts, group + 1);
	first = &g_array_index(groups->firsts, guint32, group);
	*first = *first ? MIN(*first, id) : id;
}

static void take_origin(StoreRows *rows, gpointer data)
{
	Groups *groups = data;
	gint64 id = store_rows_int(rows, 0), group = store_rows_int(rows, 1);

	if (id < 0 || id > groups->origins || group < 0 || group > groups->origins)
		return;
	groups->origin[id] = (GroupOrigin){
		.group = group,
		.kind = MIN(trace_kind_find(store_rows_text(rows, 2)), TRACE_KINDS - 1),
		.bytes = store_rows_int(rows, 3),
		.left_until_ns =
			store_rows_type(rows, 4) == STORE_NULL ? -1 : store_rows_int(rows, 4),
		.orphan_until_ns = -1,
	};
	if (store_rows_int(rows, 5))
		groups->origin[id].orphan_until_ns = groups->origin[id].left_until_ns;
	add_first(groups, group, id);
}

static void take_task(StoreRows *rows, gpointer data)
{
	Groups *groups = data;
	gint64 id = store_rows_int(rows, 0), group = store_rows_int(rows, 1);

	if (id < 0 || id > groups->tasks || group < 0 || group > groups->tasks)
		return;
	groups->task[id] = group;
	if (group >= groups->naming_tasks->len)
		g_array_set_size(groups->naming_tasks, group + 1);
	g_array_index(groups->naming_tasks, guint32, group) = store_rows_int(rows, 2);
}

/* Tasks by thread, for groups that are not tasks. */
typedef struct {
	Groups *groups;
	GHashTable *numbers; /* by thread id, from 1 */
} Threads;

/* Threads are numbered in the order in which they appear. */
static void take_thread(StoreRows *rows, gpointer data)
{
	Threads *threads = data;
	gint64 id = store_rows_int(rows, 0), tid = store_rows_int(rows, 1);
	guint32 number;

	if (id < 0 || id > threads->groups->tasks)
		return;
	number = GPOINTER_TO_UINT(g_hash_table_lookup(threads->numbers, &tid));
	if (!number) {
		number = g_hash_table_size(threads->numbers) + 1;
		g_hash_table_insert(threads->numbers, g_memdup2(&tid, sizeof(tid)),
				    GUINT_TO_POINTER(number));
	}
	threads->groups->task[id] = store_rows_int(rows, 2) ? GROUPS_NONE : number;
}

static gboolean read_threads(StoreDb *db, const char *const *params, Groups *groups, GError **error)
{
	g_autoptr(GHashTable) numbers =
		g_hash_table_new_full(seed_int64, g_int64_equal, g_free, NULL);
	Threads threads = { groups, numbers };

	return store_each(db, "group_threads", params, take_thread, &threads, error);
}

static gboolean read_groups(StoreDb *db, const char *const *params, Groups *groups, GError **error)
{
	gboolean by_cpu = !strcmp(params[1], "cpu");
	const char *cpu_params[] = { ":by_cpu", by_cpu ? "1" : "0", NULL };

	*groups = (Groups){
		.by_task = by_cpu || !strcmp(params[1], "task") || !strcmp(params[1], "thread"),
		.by_cpu = by_cpu,
	};
	if (!store_each(db, "group_limits", cpu_params, take_limits, groups, error))
		return FALSE;
	groups->firsts = g_array_new(FALSE, TRUE, sizeof(guint32));
	groups->naming_tasks = g_array_new(FALSE, TRUE, sizeof(guint32));
	g_array_set_size(groups->naming_tasks, 1);
	groups->task = g_new0(guint32, (gsize)groups->tasks + 1);
	groups->origin = g_new0(GroupOrigin, (gsize)groups->origins + 1);
	for (gsize i = 0; i <= groups->origins; i++)
		groups->origin[i].group = GROUPS_NONE;
	return store_each(db, "group_origins", params, take_origin, groups, error) &&
	       (groups->by_task ? store_each(db, "group_tasks", params, take_task, groups, error)
				: read_threads(db, params, groups, error));
}

gboolean groups_read(StoreDb *db, const char *by, const char *site, Groups *groups, GError **error)
{
	const char *params[] = { ":by", by, ":site", site, ":suspects", "0", ":kinds", "1", NULL };

	return read_groups(db, params, groups, error);
}

gboolean groups_read_frees(StoreDb *db, const char *by, Groups *groups, GError **error)
{
	const char *params[] = { ":by", by, ":site", "", ":suspects", "0", ":kinds", "0", NULL };

	return read_groups(db, params, groups, error);
}

gboolean groups_read_suspects(StoreDb *db, const char *by, const char *site, Groups *groups,
			      GError **error)
{
	const char *params[] = { ":by",    by,  ":site", site, ":suspects", *site ? "0" : "1",
				 ":kinds", "1", NULL };

	return read_groups(db, params, groups, error);
}

void groups_clear(Groups *groups)
{
	g_clear_pointer(&groups->origin, g_free);
	g_clear_pointer(&groups->task, g_free);
	g_clear_pointer(&groups->firsts, g_array_unref);
	g_clear_pointer(&groups->naming_tasks, g_array_unref);
}
