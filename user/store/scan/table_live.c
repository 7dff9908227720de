// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_totals(time_ns): sums by origin of live_at() at that time, without pages that back other
 * memory.
 */
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

/* Columns of scan_times.sql. */
enum { ORIGIN, TIME, TASK, LIFETIME, ENDING, PARTS };

typedef struct {
	gint64 count, pages_freed;
} Sum;

typedef struct {
	gint64 at_ns;
	GArray *sums; /* of Sum, by origin */
} LiveWorker;

static gpointer make(GArray *const *arguments)
{
	LiveWorker *worker = g_new(LiveWorker, 1);

	worker->at_ns = arguments[0]->len ? g_array_index(arguments[0], gint64, 0) : G_MININT64;
	worker->sums = g_array_new(FALSE, TRUE, sizeof(Sum));
	return worker;
}

static gboolean is_live(const gint64 *values, gint64 at_ns)
{
	if (values[TIME] > at_ns || lifetime_is_backing(values[ENDING]))
		return FALSE;
	return lifetime_state(values[ENDING]) == LIFETIME_LIVE ||
	       (lifetime_is_freed(values[ENDING]) && values[LIFETIME] != SCAN_NULL &&
		values[TIME] + values[LIFETIME] > at_ns);
}

static void add_sum(GArray *sums, guint64 origin, const Sum *more)
{
	Sum *sum;

	if (origin >= TABLE_ORIGINS_MAX)
		return;
	if (sums->len <= origin)
		g_array_set_size(sums, origin + 1);
	sum = &g_array_index(sums, Sum, origin);
	sum->count += more->count;
	sum->pages_freed += more->pages_freed;
}

static void take(gpointer data, const gint64 *values)
{
	const LiveWorker *worker = data;

	if (is_live(values, worker->at_ns))
		add_sum(worker->sums, values[ORIGIN],
			&(Sum){ 1, lifetime_pages_freed(values[PARTS]) });
}

static void free_worker(gpointer data)
{
	LiveWorker *worker = data;

	g_array_unref(worker->sums);
	g_free(worker);
}

static void finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	const LiveWorker *first = workers[0];

	for (guint w = 1; w < SCAN_WORKERS; w++) {
		const LiveWorker *worker = workers[w];

		for (guint i = 0; i < worker->sums->len; i++)
			add_sum(first->sums, i, &g_array_index(worker->sums, Sum, i));
	}
	for (guint i = 0; i < first->sums->len; i++) {
		const Sum *sum = &g_array_index(first->sums, Sum, i);

		if (sum->count)
			g_array_append_vals(
				values, ((const gint64[]){ i, sum->count, sum->pages_freed }), 3);
	}
}

const TableFunction table_live_totals = {
	.name = "live_totals",
	.columns = "origin, count, pages_freed",
	.count = 3,
	.arguments = 1,
	.scan = "scan_times",
	.make = make,
	.take = take,
	.free = free_worker,
	.finish = finish,
};
