// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums by origin: the first time of each, and how many allocations were freed on another CPU by
 * which origins.
 */
#include "analysis/containers/tally.h"
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

/* ---- first_times ---- */

enum { FIRST_ORIGIN, FIRST_TIME };

static gpointer first_make(GArray *const *arguments)
{
	(void)arguments;
	return g_array_new(FALSE, FALSE, sizeof(gint64));
}

/* @times: by origin; SCAN_NULL: none so far. */
static void set_first(GArray *times, guint64 origin, gint64 time_ns)
{
	const gint64 none = SCAN_NULL;
	gint64 *first;

	if (origin >= TABLE_ORIGINS_MAX)
		return;
	while (times->len <= origin)
		g_array_append_val(times, none);
	first = &g_array_index(times, gint64, origin);
	if (*first == SCAN_NULL || time_ns < *first)
		*first = time_ns;
}

static void first_take(gpointer worker, const gint64 *values)
{
	set_first(worker, values[FIRST_ORIGIN], values[FIRST_TIME]);
}

static void first_free(gpointer worker)
{
	g_array_unref(worker);
}

static void first_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	GArray *all = workers[0];

	for (guint w = 1; w < SCAN_WORKERS; w++) {
		const GArray *times = workers[w];

		for (guint i = 0; i < times->len; i++) {
			if (g_array_index(times, gint64, i) != SCAN_NULL)
				set_first(all, i, g_array_index(times, gint64, i));
		}
	}
	for (gint64 i = 0; i < all->len; i++) {
		if (g_array_index(all, gint64, i) == SCAN_NULL)
			continue;
		g_array_append_val(values, i);
		g_array_append_val(values, g_array_index(all, gint64, i));
	}
}

const TableFunction table_first_times = {
	.name = "first_times",
	.columns = "origin, time_ns",
	.count = 2,
	.scan = "scan_firsts",
	.make = first_make,
	.take = first_take,
	.free = first_free,
	.finish = first_finish,
};

/* ---- freed_elsewhere ---- */

/* Columns of scan_frees.sql, and the sums. */
enum { ORIGIN, PLACE, TASK, FREE_ORIGIN, FREE_PLACE, FREE_TASK, ENDING };
enum { COUNT, SEEN };

static gpointer elsewhere_make(GArray *const *arguments)
{
	(void)arguments;
	return tally_new();
}

static gboolean is_elsewhere(const gint64 *values)
{
	return values[FREE_ORIGIN] >= 0 && !lifetime_is_backing(values[ENDING]) &&
	       lifetime_is_elsewhere(values[PLACE], values[FREE_PLACE]);
}

static void elsewhere_take(gpointer worker, const gint64 *values)
{
	gboolean freed = lifetime_state(values[ENDING]) == LIFETIME_FREED;

	if (!is_elsewhere(values))
		return;
	tally_add(worker,
		  &(TallyRow){ (guint64)values[ORIGIN] << 32 | values[FREE_ORIGIN], { 1, freed } });
}

static void elsewhere_free(gpointer worker)
{
	tally_free(worker);
}

static void elsewhere_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	g_autoptr(GArray) rows = NULL;

	for (guint w = 1; w < SCAN_WORKERS; w++)
		tally_merge(workers[0], workers[w]);
	rows = tally_rows(workers[0]);
	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);
		const gint64 one[] = { row->key >> 32, (guint32)row->key, row->sums[COUNT],
				       row->sums[SEEN] };

		g_array_append_vals(values, one, G_N_ELEMENTS(one));
	}
}

const TableFunction table_freed_elsewhere = {
	.name = "freed_elsewhere",
	.columns = "origin, free_origin, count, freed",
	.count = 4,
	.scan = "scan_frees",
	.make = elsewhere_make,
	.take = elsewhere_take,
	.free = elsewhere_free,
	.finish = elsewhere_finish,
};

/* ---- freed_elsewhere_totals: the sum of freed by origin ---- */

static gpointer totals_make(GArray *const *arguments)
{
	(void)arguments;
	return g_array_new(FALSE, TRUE, sizeof(gint64));
}

static void add_total(GArray *totals, guint64 origin, gint64 count)
{
	if (origin >= TABLE_ORIGINS_MAX)
		return;
	if (totals->len <= origin)
		g_array_set_size(totals, origin + 1);
	g_array_index(totals, gint64, origin) += count;
}

static void totals_take(gpointer worker, const gint64 *values)
{
	if (is_elsewhere(values) && lifetime_state(values[ENDING]) == LIFETIME_FREED)
		add_total(worker, values[ORIGIN], 1);
}

static void totals_free(gpointer worker)
{
	g_array_unref(worker);
}

static void totals_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	GArray *all = workers[0];

	for (guint w = 1; w < SCAN_WORKERS; w++) {
		const GArray *totals = workers[w];

		for (guint i = 0; i < totals->len; i++)
			add_total(all, i, g_array_index(totals, gint64, i));
	}
	for (gint64 i = 0; i < all->len; i++) {
		if (!g_array_index(all, gint64, i))
			continue;
		g_array_append_val(values, i);
		g_array_append_val(values, g_array_index(all, gint64, i));
	}
}

const TableFunction table_freed_elsewhere_totals = {
	.name = "freed_elsewhere_totals",
	.columns = "origin, freed",
	.count = 2,
	.scan = "scan_frees",
	.make = totals_make,
	.take = totals_take,
	.free = totals_free,
	.finish = totals_finish,
};
