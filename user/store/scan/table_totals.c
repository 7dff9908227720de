// SPDX-License-Identifier: GPL-2.0-or-later
/* lifetime_totals: the table alloc_total, for the lifetimes that a restricted connection keeps. */
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

#define STATES   (1 << LIFETIME_STATE_BITS)
#define BACKINGS (1 << LIFETIME_BACKING_BITS)

/* Columns of scan_totals.sql. */
enum { ORIGIN, ENDING, PARTS };

typedef struct {
	gint64 count, pages_freed;
} Sum;

typedef struct {
	Sum of[STATES][BACKINGS];
} OriginTotals;

/* Returns a GPtrArray of OriginTotals, by origin; NULL: none. */
static gpointer make(GArray *const *arguments)
{
	(void)arguments;
	return g_ptr_array_new_with_free_func(g_free);
}

static OriginTotals *totals_of(GPtrArray *worker, guint64 origin)
{
	if (worker->len <= origin)
		g_ptr_array_set_size(worker, (gint)origin + 1);
	if (!worker->pdata[origin])
		worker->pdata[origin] = g_new0(OriginTotals, 1);
	return worker->pdata[origin];
}

static void take(gpointer worker, const gint64 *values)
{
	LifetimeState state = lifetime_state(values[ENDING]);
	Sum *sum;

	if (values[ORIGIN] < 0 || values[ORIGIN] >= TABLE_ORIGINS_MAX)
		return;
	sum = &totals_of(worker, values[ORIGIN])->of[state][lifetime_backing(values[ENDING])];
	sum->count++;
	sum->pages_freed += state == LIFETIME_LIVE ? lifetime_pages_freed(values[PARTS]) : 0;
}

static void free_worker(gpointer worker)
{
	g_ptr_array_unref(worker);
}

static void add_totals(OriginTotals *to, const OriginTotals *from)
{
	Sum *sums = &to->of[0][0];
	const Sum *more = &from->of[0][0];

	for (guint i = 0; i < STATES * BACKINGS; i++) {
		sums[i].count += more[i].count;
		sums[i].pages_freed += more[i].pages_freed;
	}
}

static void append(GArray *values, gint64 origin, const OriginTotals *totals)
{
	for (gint64 i = 0; i < STATES * BACKINGS; i++) {
		const Sum *sum = &totals->of[i / BACKINGS][i % BACKINGS];

		if (sum->count)
			g_array_append_vals(values,
					    ((const gint64[]){ origin, i / BACKINGS, i % BACKINGS,
							       sum->count, sum->pages_freed }),
					    5);
	}
}

static void finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	GPtrArray *all = workers[0];

	for (guint w = 1; w < SCAN_WORKERS; w++) {
		const GPtrArray *worker = workers[w];

		for (guint i = 0; i < worker->len; i++) {
			if (worker->pdata[i])
				add_totals(totals_of(all, i), worker->pdata[i]);
		}
	}
	for (guint i = 0; i < all->len; i++) {
		if (all->pdata[i])
			append(values, i, all->pdata[i]);
	}
}

const TableFunction table_lifetime_totals = {
	.name = "lifetime_totals",
	.columns = "origin, state, backing, count, pages_freed",
	.count = 5,
	.scan = "scan_totals",
	.make = make,
	.take = take,
	.free = free_worker,
	.finish = finish,
};
