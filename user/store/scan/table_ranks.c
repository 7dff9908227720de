// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ranks(groups): lifetimes of freed allocations, by group: nearest-rank percentiles. The argument
 * has pairs of an origin and its group, a number from 0 on.
 */
#include "base/quickselect.h"
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

G_STATIC_ASSERT(PERCENTILE_NONE == SCAN_NULL);

#define NUMBERS_MAX (1U << 28) /* of origins and groups: larger ones are invalid */

/* Columns of scan_lifetimes.sql. */
enum { ORIGIN, TASK, LIFETIME, ENDING };

static const guint percents[] = { 50, 95, 99, 100 };
enum { P50, P95, P99, P100 };

typedef struct {
	GArray *group;     /* of guint32, by origin; 0: none, else its group + 1 */
	GPtrArray *groups; /* of GArrays of guint64 */
} RanksWorker;

static void add_origin(RanksWorker *worker, guint64 origin, guint64 group)
{
	if (origin >= NUMBERS_MAX || group >= NUMBERS_MAX)
		return;
	if (worker->group->len <= origin)
		g_array_set_size(worker->group, origin + 1);
	g_array_index(worker->group, guint32, origin) = group + 1;
	while (worker->groups->len <= group)
		g_ptr_array_add(worker->groups, g_array_new(FALSE, FALSE, sizeof(guint64)));
}

static gpointer make(GArray *const *arguments)
{
	RanksWorker *worker = g_new(RanksWorker, 1);
	const gint64 *numbers = (const gint64 *)arguments[0]->data;

	worker->group = g_array_new(FALSE, TRUE, sizeof(guint32));
	worker->groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i + 1 < arguments[0]->len; i += 2)
		add_origin(worker, numbers[i], numbers[i + 1]);
	return worker;
}

static void take(gpointer data, const gint64 *values)
{
	RanksWorker *worker = data;
	guint64 origin = values[ORIGIN], ns = values[LIFETIME];
	guint32 group;

	if (origin >= worker->group->len || !lifetime_is_freed(values[ENDING]) ||
	    lifetime_is_backing(values[ENDING]))
		return;
	group = g_array_index(worker->group, guint32, origin);
	if (group)
		g_array_append_val((GArray *)g_ptr_array_index(worker->groups, group - 1), ns);
}

static void free_worker(gpointer data)
{
	RanksWorker *worker = data;

	g_array_unref(worker->group);
	g_ptr_array_unref(worker->groups);
	g_free(worker);
}

static void finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	const RanksWorker *first = workers[0];

	for (guint64 i = 0; i < first->groups->len; i++) {
		GArray *all = g_ptr_array_index(first->groups, i);
		gint64 ranks[G_N_ELEMENTS(percents)];
		guint64 n;

		for (guint w = 1; w < SCAN_WORKERS; w++) {
			const RanksWorker *worker = workers[w];
			GArray *more = g_ptr_array_index(worker->groups, i);

			g_array_append_vals(all, more->data, more->len);
			g_array_set_size(more, 0);
		}
		n = all->len;
		if (!n)
			continue;
		quickselect_percentiles((guint64 *)all->data, n, percents, G_N_ELEMENTS(percents),
					ranks);
		g_array_append_vals(
			values,
			((const gint64[]){ i, n, ranks[P50], ranks[P95], ranks[P100], ranks[P99] }),
			6);
	}
}

const TableFunction table_ranks = {
	.name = "ranks",
	.columns = "number, count, p50_ns, p95_ns, max_ns, p99_ns",
	.count = 6,
	.arguments = 1,
	.scan = "scan_lifetimes",
	.make = make,
	.take = take,
	.free = free_worker,
	.finish = finish,
};
