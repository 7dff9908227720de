// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/totals.h"

#include <string.h>

#include "base/compare.h"
#include "report/groups/group_rows.h"
#include "report/groups/live_interval.h"
#include "report/print/merged_caches.h"

/* Fates of allocations, whose sum is all. */
typedef enum { FATE_FREED, FATE_LIVE, FATE_FREEING, FATES } Fate;

typedef struct {
	gint64 counts[FATES], bytes[FATES];
} Totals;

typedef struct {
	const Groups *groups;
	Totals *totals; /* by group */
} TotalsWorker;

/* A ScanFunc. Freed pages of a live block count as freed bytes. */
static void add_lifetime(gpointer data, const gint64 *values)
{
	const TotalsWorker *worker = data;
	LifetimeState state = lifetime_state(values[LIVE_INTERVAL_ENDING]);
	Fate fate = state == LIFETIME_LIVE      ? FATE_LIVE
		    : state == LIFETIME_FREEING ? FATE_FREEING
						: FATE_FREED;
	LiveInterval interval;
	Totals *totals;

	if (!live_interval_read(worker->groups, values, &interval))
		return;
	totals = &worker->totals[interval.group];
	totals->counts[fate]++;
	totals->bytes[fate] += interval.bytes_end;
	totals->bytes[FATE_FREED] += interval.bytes - interval.bytes_end;
}

/* Returns the totals by group, for g_free(); NULL with an error. */
static Totals *read_totals(StoreDb *db, const Groups *groups, GError **error)
{
	TotalsWorker workers[SCAN_WORKERS];
	gsize count = groups_count(groups);
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = (TotalsWorker){ groups, g_new0(Totals, count + 1) };
	fine = store_scan(db, groups->by_cpu ? "scan_times_by_cpu" : "scan_times", NULL,
			  add_lifetime, workers, sizeof(*workers), error);
	for (guint i = 1; i < SCAN_WORKERS; i++) {
		for (gsize g = 0; g < count * FATES; g++) {
			Totals *to = &workers[0].totals[g / FATES];
			const Totals *from = &workers[i].totals[g / FATES];

			to->counts[g % FATES] += from->counts[g % FATES];
			to->bytes[g % FATES] += from->bytes[g % FATES];
		}
		g_free(workers[i].totals);
	}
	if (fine)
		return workers[0].totals;
	g_free(workers[0].totals);
	return NULL;
}

static gint64 sum(const gint64 *values)
{
	return values[FATE_FREED] + values[FATE_LIVE] + values[FATE_FREEING];
}

typedef struct {
	const Groups *groups;
	const Totals *totals;
} Order;

/* Sorts by kind, then by allocated bytes. */
static gint compare_groups(gconstpointer a, gconstpointer b, gpointer data)
{
	const Order *order = data;
	gsize x = *(const gsize *)a, y = *(const gsize *)b;

	return COMPARE(groups_kind(order->groups, x), groups_kind(order->groups, y))
		       ?: COMPARE(sum(order->totals[y].bytes), sum(order->totals[x].bytes))
		       ?: COMPARE(x, y);
}

/* Returns the groups with allocations, of gsize. */
static GArray *sort_groups(const Groups *groups, const Totals *totals)
{
	GArray *order = g_array_new(FALSE, FALSE, sizeof(gsize));

	for (gsize i = 0; i < groups_count(groups); i++) {
		if (sum(totals[i].counts))
			g_array_append_val(order, i);
	}
	g_array_sort_with_data(order, compare_groups, &(Order){ groups, totals });
	return order;
}

static void add_row(const Totals *totals, gint64 factor, TempTable *figures)
{
	TEMP_TABLE_ADD(figures, sum(totals->bytes) * factor, sum(totals->counts) * factor,
		       totals->bytes[FATE_FREED] * factor, totals->counts[FATE_FREED] * factor,
		       totals->bytes[FATE_LIVE] * factor, totals->counts[FATE_LIVE] * factor,
		       totals->bytes[FATE_FREEING] * factor, totals->counts[FATE_FREEING] * factor);
}

gboolean totals_print(const Printer *printer, gconstpointer data, GError **error)
{
	const TotalsOptions *options = data;
	g_autofree char *title = g_strdup_printf("Totals by %s: kinds are never added up",
						 groups_title(options->by));
	int shown[TRACE_KINDS] = { 0 };
	g_autofree Totals *totals = NULL;
	g_autoptr(GArray) order = NULL;
	g_auto(Groups) groups = { 0 };
	g_auto(GroupRows) rows = { NULL };

	if (!groups_read(printer->db, options->by, "", &groups, error) ||
	    !(totals = read_totals(printer->db, &groups, error)))
		return FALSE;
	order = sort_groups(&groups, totals);
	group_rows_init(
		&rows, options->by,
		"total_bytes, total_count, freed_bytes, freed_count, live_bytes, live_count, "
		"freeing_bytes OPTIONAL, freeing_count OPTIONAL");
	for (guint i = 0; i < order->len; i++) {
		gsize group = g_array_index(order, gsize, i);

		if (shown[groups_kind(&groups, group)]++ >= options->limit)
			continue;
		group_rows_add(&rows, &groups, group);
		add_row(&totals[group], groups.factor, rows.figures);
	}
	return group_rows_print(&rows, printer, "totals", title, error) &&
	       merged_caches_print(printer, options->by, error);
}
