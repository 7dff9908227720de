// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/live_groups.h"

#include <string.h>

#include "store/query/scan.h"
#include "trace/event/kind.h"

#define NS_PER_SECOND G_GINT64_CONSTANT(1000000000)

typedef struct {
	guint32 group; /* of the origin; to which comes that of the task */
	guint8 kind;
	gboolean orphaned; /* its module was unloaded */
	gint64 bytes;      /* of each allocation */
} Origin;

gboolean live_groups_is_by(const char *by)
{
	static const char *const all[] = { "stack", "site",   "module", "cache",
					   "task",  "thread", NULL };

	return g_strv_contains(all, by);
}

/* ---- groups ---- */

static void take_facts(StoreRows *rows, gpointer data)
{
	LiveGroups *live = data;

	live->span_ns = store_rows_int(rows, 0);
	live->page_size = store_rows_int(rows, 1);
	live->doubtful_ns = store_rows_int(rows, 2);
}

static void take_origin(StoreRows *rows, gpointer data)
{
	LiveGroups *live = data;
	const Origin none = { .kind = TRACE_KINDS };
	guint32 id = (guint32)store_rows_int(rows, 0);
	Origin *origin;

	while (id >= live->origins->len) /* rows in between that are not wanted have no kind */
		g_array_append_val(live->origins, none);
	origin = &g_array_index(live->origins, Origin, id);
	origin->kind = trace_kind_find(store_rows_text(rows, 1));
	origin->bytes = store_rows_int(rows, 2);
	origin->group = (guint32)store_rows_int(rows, 3);
	origin->orphaned = store_rows_int(rows, 4) != 0;
}

static void take_task(StoreRows *rows, gpointer data)
{
	LiveGroups *live = data;
	guint32 id = (guint32)store_rows_int(rows, 0);

	if (id >= live->tasks->len)
		g_array_set_size(live->tasks, id + 1);
	g_array_index(live->tasks, LiveGroupsTask, id) = (LiveGroupsTask){
		.group = (guint32)store_rows_int(rows, 1),
		.first = (guint32)store_rows_int(rows, 2),
	};
}

static void take_left_out(StoreRows *rows, gpointer data)
{
	LiveGroups *live = data;
	guint32 id = (guint32)store_rows_int(rows, 0);

	if (id >= live->left_out->len)
		g_array_set_size(live->left_out, id + 1);
	g_array_index(live->left_out, gboolean, id) = TRUE;
}

/* One for each group of origins, or for each kind and group of tasks. */
static void make_groups(LiveGroups *live)
{
	guint32 tasks = 0, origins = 0;

	for (guint i = 0; i < live->tasks->len; i++)
		tasks = MAX(tasks, g_array_index(live->tasks, LiveGroupsTask, i).group);
	for (guint i = 0; i < live->origins->len; i++) {
		Origin *origin = &g_array_index(live->origins, Origin, i);

		if (origin->kind >= TRACE_KINDS)
			continue;
		if (tasks)
			origin->group = (guint32)origin->kind * (tasks + 1);
		origins = MAX(origins, origin->group);
	}
	g_array_set_size(live->groups, (gsize)origins + tasks + 1);
}

gboolean live_groups_init(LiveGroups *live, StoreDb *db, const char *by, const char *site,
			  GError **error)
{
	const char *params[] = { ":by", by, ":site", site, NULL };

	*live = (LiveGroups){ .db = db };
	live->groups = g_array_new(FALSE, TRUE, sizeof(LiveGroupsGroup));
	live->origins = g_array_new(FALSE, TRUE, sizeof(Origin));
	live->tasks = g_array_new(FALSE, TRUE, sizeof(LiveGroupsTask));
	live->left_out = g_array_new(FALSE, TRUE, sizeof(gboolean));
	if (!store_each(db, "holders_facts", NULL, take_facts, live, error) ||
	    !store_each(db, "holders_origins", params, take_origin, live, error) ||
	    !store_each(db, "holders_tasks", params, take_task, live, error) ||
	    !store_each(db, "holders_recorder", params, take_left_out, live, error))
		return FALSE;
	make_groups(live);
	return TRUE;
}

void live_groups_clear(LiveGroups *live)
{
	g_clear_pointer(&live->groups, g_array_unref);
	g_clear_pointer(&live->origins, g_array_unref);
	g_clear_pointer(&live->tasks, g_array_unref);
	g_clear_pointer(&live->left_out, g_array_unref);
}

/* ---- lifetimes ---- */

/* Columns of scan_curves.sql, scan_curves_of.sql and holders_live.sql. */
enum { LIFE_ORIGIN, LIFE_TIME, LIFE_TASK, LIFE_LIFETIME, LIFE_ENDING, LIFE_PARTS, LIFE_COLUMNS };

typedef struct {
	LiveGroupsGroup *group;
	gint64 time_ns, end_ns; /* G_MAXINT64: never */
	gint64 bytes;
} Life;

/* FALSE: it doesn't count. @groups: those of @live, or a worker's own. */
static gboolean read_life(const LiveGroups *live, LiveGroupsGroup *groups, const gint64 *values,
			  Life *life)
{
	guint32 id = (guint32)values[LIFE_ORIGIN], task = (guint32)values[LIFE_TASK];
	LifetimeState state = lifetime_state(values[LIFE_ENDING]);
	const Origin *origin;
	guint32 number;

	if (id >= live->origins->len || state == LIFETIME_FREEING ||
	    lifetime_is_backing(values[LIFE_ENDING]))
		return FALSE;
	origin = &g_array_index(live->origins, Origin, id);
	if (origin->kind >= TRACE_KINDS)
		return FALSE;
	if (task < live->left_out->len && g_array_index(live->left_out, gboolean, task))
		return FALSE;
	number = origin->group;
	if (task < live->tasks->len) {
		number += g_array_index(live->tasks, LiveGroupsTask, task).group;
		task = g_array_index(live->tasks, LiveGroupsTask, task).first;
	}
	life->group = &groups[number];
	if (!life->group->origin) {
		life->group->origin = id;
		life->group->task = task;
		life->group->kind = origin->kind;
		life->group->orphaned = origin->orphaned;
	}
	life->time_ns = values[LIFE_TIME];
	life->bytes = origin->bytes;
	life->end_ns = G_MAXINT64;
	if (state == LIFETIME_LIVE)
		life->bytes -= lifetime_pages_freed(values[LIFE_PARTS]) * live->page_size;
	else
		life->end_ns = life->time_ns + values[LIFE_LIFETIME];
	return TRUE;
}

static guint age_of(gint64 ns)
{
	static const gint64 bounds[LIVE_GROUPS_AGES - 1] = { NS_PER_SECOND, 10 * NS_PER_SECOND,
							     60 * NS_PER_SECOND,
							     600 * NS_PER_SECOND };
	guint age = 0;

	while (age < LIVE_GROUPS_AGES - 1 && ns >= bounds[age])
		age++;
	return age;
}

static void add_live(const LiveGroups *live, const Life *life, gint64 older_ns)
{
	LiveGroupsGroup *group = life->group;
	gint64 age = live->span_ns - life->time_ns;

	group->live_bytes += life->bytes;
	group->ages[age_of(age)]++;
	if (age <= older_ns)
		return;
	group->old_bytes += life->bytes;
	group->old_count++;
	group->oldest_ns = MAX(group->oldest_ns, age);
	group->doubtful += life->time_ns < live->doubtful_ns;
}

gboolean live_groups_read_live(LiveGroups *live, gint64 older_ns, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(live->db, "holders_live", NULL, error);
	LiveGroupsGroup *groups = (LiveGroupsGroup *)live->groups->data;
	gint64 values[LIFE_COLUMNS];
	Life life;

	while (store_rows_next(rows)) {
		for (int i = 0; i < LIFE_COLUMNS; i++)
			values[i] = store_rows_int(rows, i);
		if (read_life(live, groups, values, &life))
			add_live(live, &life, older_ns);
	}
	return store_rows_done(rows, error);
}

/* ---- curves ---- */

typedef struct {
	const LiveGroups *live;
	gint64 from_ns, to_ns;
	LiveGroupsGroup *groups; /* the worker's own */
} CurveWorker;

static void add_to_curve(const Life *life, gint64 from_ns, gint64 to_ns)
{
	LiveGroupsGroup *group = life->group;
	guint begin = growth_pattern_step(life->time_ns, from_ns, to_ns);
	guint end = growth_pattern_step(life->end_ns, from_ns, to_ns);

	group->curve[begin] += life->bytes;
	group->curve[end] -= life->bytes;
	group->from_count += begin == 0 && end > 0;
	group->to_count += begin <= GROWTH_STEPS && end > GROWTH_STEPS;
}

/* Makes changes into values. */
static void sum_curves(LiveGroups *live)
{
	for (guint i = 0; i < live->groups->len; i++) {
		LiveGroupsGroup *group = &g_array_index(live->groups, LiveGroupsGroup, i);

		for (guint j = 1; j <= GROWTH_STEPS; j++)
			group->curve[j] += group->curve[j - 1];
	}
}

/*
 * "[1,2]": the origins that have a group that is wanted, so that the others are left out early.
 * NULL: all may have one, as of tasks.
 */
static char *wanted_origins(const LiveGroups *live)
{
	GString *text = g_string_new("[");
	gboolean all = TRUE;

	for (guint i = 1; i < live->origins->len; i++) {
		const Origin *origin = &g_array_index(live->origins, Origin, i);

		if (origin->kind < TRACE_KINDS &&
		    g_array_index(live->groups, LiveGroupsGroup, origin->group).wanted)
			g_string_append_printf(text, "%s%u", text->len > 1 ? "," : "", i);
		else
			all = FALSE;
	}
	g_string_append_c(text, ']');
	return g_string_free(text, all || live->tasks->len > 0);
}

/* A ScanFunc. */
static void take_life(gpointer data, const gint64 *values)
{
	const CurveWorker *worker = data;
	Life life;

	if (read_life(worker->live, worker->groups, values, &life) && life.group->wanted)
		add_to_curve(&life, worker->from_ns, worker->to_ns);
}

static void add_curve(LiveGroupsGroup *to, const LiveGroupsGroup *from)
{
	if (!to->origin) {
		to->origin = from->origin;
		to->task = from->task;
		to->kind = from->kind;
		to->orphaned = from->orphaned;
	}
	to->from_count += from->from_count;
	to->to_count += from->to_count;
	for (guint i = 0; i < G_N_ELEMENTS(to->curve); i++)
		to->curve[i] += from->curve[i];
}

gboolean live_groups_read_curves(LiveGroups *live, gint64 from_ns, gint64 to_ns, GError **error)
{
	g_autofree char *origins = wanted_origins(live);
	const char *params[] = { ":origins", origins, NULL };
	guint count = live->groups->len;
	CurveWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = (CurveWorker){ live, from_ns, to_ns, g_new0(LiveGroupsGroup, count) };
		for (guint g = 0; g < count; g++)
			workers[i].groups[g].wanted =
				g_array_index(live->groups, LiveGroupsGroup, g).wanted;
	}
	fine = store_scan(live->db, origins ? "scan_curves_of" : "scan_curves",
			  origins ? params : NULL, take_life, workers, sizeof(*workers), error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		for (guint g = 0; g < count; g++)
			add_curve(&g_array_index(live->groups, LiveGroupsGroup, g),
				  &workers[i].groups[g]);
		g_free(workers[i].groups);
	}
	sum_curves(live);
	return fine;
}

/* ---- the first ---- */

typedef gint64 (*Value)(const LiveGroupsGroup *group);

/* Larger values first; where they are the same, the group that is named by the earlier origin. */
static gint compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const LiveGroupsGroup *one = *(LiveGroupsGroup *const *)a,
			      *other = *(LiveGroupsGroup *const *)b;
	Value value = *(Value *)data;
	gint64 left = value(one), right = value(other);

	if (left != right)
		return left < right ? 1 : -1;
	return one < other ? -1 : one > other;
}

GPtrArray *live_groups_top(const LiveGroups *live, enum trace_kind kind, guint limit, Value value)
{
	GPtrArray *top = g_ptr_array_new();

	for (guint i = 0; i < live->groups->len; i++) {
		LiveGroupsGroup *group = &g_array_index(live->groups, LiveGroupsGroup, i);

		if (group->origin && group->kind == kind && value(group) > 0)
			g_ptr_array_add(top, group);
	}
	g_ptr_array_sort_with_data(top, compare, &value);
	if (top->len > limit)
		g_ptr_array_set_size(top, limit);
	return top;
}
