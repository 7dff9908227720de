// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/live_groups.h"

#include "base/compare.h"

/* Values of LIVE_IS_SAMPLE. */
enum { LIVE_NO_SAMPLE, LIVE_SAMPLE_KEPT };

/* The sample: so many runs of so many rows; all rows of a shorter trace. */
#define SAMPLE_RUNS 1024
#define SAMPLE_RUN  32

#define NS_PER_SECOND G_GINT64_CONSTANT(1000000000)

/* ---- groups ---- */

static void take_doubtful(StoreRows *rows, gpointer data)
{
	LiveGroups *live = data;

	live->doubtful_ns = store_rows_int(rows, 0);
}

gboolean live_groups_init(LiveGroups *live, StoreDb *db, const char *by, const char *site,
			  GError **error)
{
	*live = (LiveGroups){ .db = db, .by = by };
	if (!groups_read_suspects(db, by, site, &live->groups, error) ||
	    !store_each(db, "leaks_doubtful", NULL, take_doubtful, live, error))
		return FALSE;
	live->count = groups_count(&live->groups);
	live->all = g_new0(LiveGroup, live->count + 1);
	for (gsize i = 0; i < live->count; i++) {
		const GroupOrigin *first = &live->groups.origin[groups_first(&live->groups, i)];

		live->all[i].kind = first->kind;
	}
	return TRUE;
}

void live_groups_clear(LiveGroups *live)
{
	groups_clear(&live->groups);
	g_clear_pointer(&live->all, g_free);
}

/* ---- lifetimes ---- */

typedef struct {
	const LiveGroups *live;
	gint64 older_ns;       /* for live ones */
	gint64 from_ns, to_ns; /* for curves */
	LiveGroup *sums;       /* the worker's own, by group */
	const LiveGroupsAlso *also;
	gpointer also_data; /* the worker's own */
} LiveGroupsWorker;

static void add_sums(LiveGroup *to, const LiveGroup *from)
{
	to->live_bytes += from->live_bytes;
	for (guint i = 0; i < LIVE_GROUPS_AGES; i++)
		to->ages[i] += from->ages[i];
	to->old_bytes += from->old_bytes;
	to->old_count += from->old_count;
	to->orphans += from->orphans;
	to->oldest_ns = MAX(to->oldest_ns, from->oldest_ns);
	to->doubtful += from->doubtful;
	to->from_count += from->from_count;
	to->to_count += from->to_count;
	for (guint i = 0; i < G_N_ELEMENTS(to->curve); i++)
		to->curve[i] += from->curve[i];
}

/* Scans the rows of @sql with @take, and adds the sums of the workers, which begin as @proto. */
static gboolean scan(LiveGroups *live, const char *sql, const char *const *params, ScanFunc take,
		     const LiveGroupsWorker *proto, GError **error)
{
	LiveGroupsWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = *proto;
		workers[i].live = live;
		workers[i].sums = g_new0(LiveGroup, live->count + 1);
		workers[i].also_data = proto->also ? proto->also->data[i] : NULL;
	}
	fine = store_scan(live->db, sql, params, take, workers, sizeof(*workers), error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		for (gsize g = 0; g < live->count; g++)
			add_sums(&live->all[g], &workers[i].sums[g]);
		g_free(workers[i].sums);
	}
	return fine;
}

/* Returns FALSE if the row doesn't count. */
static gboolean read_interval(const LiveGroupsWorker *worker, const gint64 *values,
			      LiveInterval *interval)
{
	const Groups *groups = &worker->live->groups;
	const GroupOrigin *origin = groups_origin(groups, values[LIVE_INTERVAL_ORIGIN]);

	return origin && lifetime_state(values[LIVE_INTERVAL_ENDING]) != LIFETIME_FREEING &&
	       !groups_leaves_out(groups, origin, values[LIVE_INTERVAL_TASK], values[LIVE_PLACE],
				  values[LIVE_INTERVAL_TIME]) &&
	       live_interval_read(groups, values, interval);
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

static void take_live(gpointer data, const gint64 *values)
{
	const LiveGroupsWorker *worker = data;
	LiveInterval interval;
	LiveGroup *group;
	gint64 age;

	if (worker->also && values[LIVE_IS_SAMPLE] != LIVE_NO_SAMPLE) {
		gboolean kept = values[LIVE_IS_SAMPLE] == LIVE_SAMPLE_KEPT &&
				read_interval(worker, values, &interval);

		worker->also->take_sample(worker->also_data, kept ? &interval : NULL, values);
		return;
	}
	if (!read_interval(worker, values, &interval) || interval.end_ns != LIVE_INTERVAL_NEVER)
		return;
	if (worker->also)
		worker->also->take(worker->also_data, &interval, values);
	group = &worker->sums[interval.group];
	age = worker->live->groups.span_ns - interval.time_ns;
	group->live_bytes += interval.bytes_end;
	group->orphans +=
		interval.time_ns <=
		groups_origin(&worker->live->groups, values[LIVE_INTERVAL_ORIGIN])->orphan_until_ns;
	group->ages[age_of(age)]++;
	group->oldest_ns = MAX(group->oldest_ns, age);
	if (age <= worker->older_ns)
		return;
	group->old_bytes += interval.bytes_end;
	group->old_count++;
	group->doubtful += interval.time_ns < worker->live->doubtful_ns;
}

static void take_rows(StoreRows *rows, gpointer data)
{
	*(gint64 *)data = store_rows_int(rows, 0);
}

gboolean live_groups_read_live(LiveGroups *live, gint64 older_ns, const LiveGroupsAlso *also,
			       GError **error)
{
	const LiveGroupsWorker proto = { .older_ns = older_ns, .also = also };
	g_autofree char *step = NULL;
	const char *params[] = { ":step", NULL, ":run", G_STRINGIFY(SAMPLE_RUN), NULL };
	gint64 rows = 0;

	if (!also)
		return scan(live, "scan_live", NULL, take_live, &proto, error);
	if (!store_each(live->db, "scan_rows", NULL, take_rows, &rows, error))
		return FALSE;
	params[1] = step =
		g_strdup_printf("%" G_GINT64_FORMAT, MAX(rows / SAMPLE_RUNS, SAMPLE_RUN));
	return scan(live,
		    store_is_restricted(live->db) ? "scan_live_sample_restricted"
						  : "scan_live_sample",
		    params, take_live, &proto, error);
}

/*
 * Uses the bytes left at the end of a block freed in parts, so that the curve ends with the live
 * bytes.
 */
static void take_change(gpointer data, const gint64 *values)
{
	const LiveGroupsWorker *worker = data;
	LiveInterval interval;
	LiveGroup *group;
	guint begin, end;

	if (!read_interval(worker, values, &interval) || !worker->live->all[interval.group].wanted)
		return;
	if (worker->also)
		worker->also->take(worker->also_data, &interval, values);
	group = &worker->sums[interval.group];
	begin = growth_pattern_step(interval.time_ns, worker->from_ns, worker->to_ns);
	end = growth_pattern_step(interval.end_ns, worker->from_ns, worker->to_ns);
	group->curve[begin] += interval.bytes_end;
	group->curve[end] -= interval.bytes_end;
	group->from_count += begin == 0 && end > 0;
	group->to_count += begin <= GROWTH_STEPS && end > GROWTH_STEPS;
}

gboolean live_groups_read_curves(LiveGroups *live, gint64 from_ns, gint64 to_ns,
				 const LiveGroupsAlso *also, GError **error)
{
	const LiveGroupsWorker proto = { .from_ns = from_ns, .to_ns = to_ns, .also = also };
	gboolean fine =
		scan(live, store_is_restricted(live->db) ? "scan_curves_restricted" : "scan_curves",
		     NULL, take_change, &proto, error);

	for (gsize i = 0; i < live->count; i++) { /* sums up the changes */
		for (guint j = 1; j <= GROWTH_STEPS; j++)
			live->all[i].curve[j] += live->all[i].curve[j - 1];
	}
	return fine;
}

/* ---- ranking ---- */

typedef gint64 (*Value)(const LiveGroup *group);

/* Larger values first; equal ones in the order of groups. */
static gint compare_values(gconstpointer a, gconstpointer b, gpointer data)
{
	const LiveGroup *one = *(LiveGroup *const *)a, *other = *(LiveGroup *const *)b;
	Value value = *(Value *)data;
	gint64 left = value(one), right = value(other);

	return COMPARE(right, left) ?: COMPARE(one, other);
}

GPtrArray *live_groups_top(const LiveGroups *live, enum trace_kind kind, guint limit, Value value)
{
	GPtrArray *top = g_ptr_array_new();

	for (gsize i = 0; i < live->count; i++) {
		if (live->all[i].kind == kind && value(&live->all[i]) > 0)
			g_ptr_array_add(top, &live->all[i]);
	}
	g_ptr_array_sort_with_data(top, compare_values, &value);
	if (top->len > limit)
		g_ptr_array_set_size(top, limit);
	return top;
}
