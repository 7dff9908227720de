// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A percentile needs all lifetimes of a group. Two threads read them into arrays, the arrays of
 * shown groups are concatenated, and quickselect finds the percentiles: SQL would sort them all.
 */
#include "report/lifetimes/lifetimes.h"

#include <string.h>

#include "base/compare.h"
#include "base/quickselect.h"
#include "report/groups/group_rows.h"
#include "report/print/merged_caches.h"
#include "trace/event/kind.h"

#define DECADES 16 /* of lifetimes, from 1 ns on */
#define BAR     50 /* characters of the longest bar */

/* Columns of scan_lifetimes.sql. */
enum { ORIGIN, TASK, LIFETIME, ENDING };

typedef struct {
	guint64 freed, bytes, live, unseen;
} Count;

/* A freed allocation. */
typedef struct {
	guint64 ns; /* its lifetime */
	guint32 group;
	guint8 kind;
} Freed;

typedef struct {
	const Groups *groups;
	Count *counts; /* by group */
	GArray *freed; /* of Freed */
	guint64 decades[TRACE_KINDS][DECADES];
} LifetimesWorker;

static const guint percents[] = { 50, 95, 99, 100 };

/* A row: a group, or a kind. */
typedef struct {
	gint64 percentiles[G_N_ELEMENTS(percents)]; /* TEMP_TABLE_NULL: too few */
	guint64 count;
} Digest;

G_STATIC_ASSERT(PERCENTILE_NONE == TEMP_TABLE_NULL);

static guint decade_of(guint64 ns)
{
	guint decade = 0;

	for (; ns >= 10 && decade < DECADES - 1; ns /= 10)
		decade++;
	return decade;
}

static void add_lifetime(gpointer data, const gint64 *values)
{
	LifetimesWorker *worker = data;
	const GroupOrigin *origin = groups_origin(worker->groups, values[ORIGIN]);
	LifetimeState state = lifetime_state(values[ENDING]);
	guint64 ns = values[LIFETIME];
	guint32 group;
	Count *count;

	if (!origin || lifetime_is_backing(values[ENDING]))
		return;
	group = groups_of(worker->groups, origin, values[TASK]);
	count = &worker->counts[group];
	count->live += state == LIFETIME_LIVE;
	count->unseen += state == LIFETIME_UNSEEN;
	if (!lifetime_is_freed(values[ENDING]) || values[LIFETIME] < 0)
		return;
	count->freed++;
	count->bytes += origin->bytes;
	worker->decades[origin->kind][decade_of(ns)]++;
	g_array_append_vals(worker->freed, &(Freed){ ns, group, origin->kind }, 1);
}

static void worker_init(LifetimesWorker *worker, const Groups *groups)
{
	*worker = (LifetimesWorker){ .groups = groups };
	worker->counts = g_new0(Count, groups_count(groups) + 1);
	worker->freed = g_array_new(FALSE, FALSE, sizeof(Freed));
}

static void worker_clear(LifetimesWorker *worker)
{
	g_free(worker->counts);
	g_array_unref(worker->freed);
}

/* Adds up into the first worker. */
static void add_up(LifetimesWorker *workers, gsize count)
{
	for (guint i = 1; i < SCAN_WORKERS; i++) {
		for (gsize g = 0; g < count; g++) {
			workers[0].counts[g].freed += workers[i].counts[g].freed;
			workers[0].counts[g].bytes += workers[i].counts[g].bytes;
			workers[0].counts[g].live += workers[i].counts[g].live;
			workers[0].counts[g].unseen += workers[i].counts[g].unseen;
		}
		for (guint j = 0; j < TRACE_KINDS * DECADES; j++)
			workers[0].decades[j / DECADES][j % DECADES] +=
				workers[i].decades[j / DECADES][j % DECADES];
	}
}

/* ---- percentiles ---- */

/*
 * Copies the lifetimes to @ends. @slots: by group, or by kind if @kinds, its index in @digests, or
 * GROUPS_NONE.
 */
static void gather(const LifetimesWorker *workers, const guint32 *slots, gboolean kinds,
		   guint64 **ends)
{
	for (guint w = 0; w < SCAN_WORKERS; w++) {
		const Freed *freed = (const Freed *)workers[w].freed->data;

		for (guint i = 0; i < workers[w].freed->len; i++) {
			guint32 slot = slots[kinds ? freed[i].kind : freed[i].group];

			if (slot != GROUPS_NONE)
				*ends[slot]++ = freed[i].ns;
		}
	}
}

/* Makes the digests, whose counts are set. */
static void make_digests(const LifetimesWorker *workers, const guint32 *slots, gboolean kinds,
			 Digest *digests, guint count)
{
	g_autofree guint64 **ends = g_new(guint64 *, count + 1);
	g_autofree guint64 *all = NULL;
	guint64 *start;
	gsize total = 0;

	for (guint i = 0; i < count; i++)
		total += digests[i].count;
	all = start = g_new(guint64, total + 1);
	for (guint i = 0; i < count; i++) {
		ends[i] = start;
		start += digests[i].count;
	}
	gather(workers, slots, kinds, ends);
	for (guint i = 0; i < count; i++) {
		gsize n = digests[i].count;

		start = ends[i] - n;
		quickselect_percentiles(start, n, percents, G_N_ELEMENTS(percents),
					digests[i].percentiles);
	}
}

/* ---- groups ---- */

static gint compare_counts(gconstpointer a, gconstpointer b, gpointer data)
{
	const Count *counts = data;
	gsize x = *(const gsize *)a, y = *(const gsize *)b;

	return COMPARE(counts[y].freed, counts[x].freed) ?: COMPARE(x, y);
}

/* Returns the groups with the most freed allocations, for g_array_unref(). */
static GArray *find_top(const Count *counts, gsize count, guint limit)
{
	GArray *top = g_array_new(FALSE, FALSE, sizeof(gsize));

	for (gsize i = 0; i < count; i++) {
		if (counts[i].freed)
			g_array_append_val(top, i);
	}
	g_array_sort_with_data(top, compare_counts, (gpointer)counts);
	g_array_set_size(top, MIN(top->len, limit));
	return top;
}

#define DIGEST_COLUMNS "freed, freed_bytes, p50_ns, p95_ns, p99_ns, max_ns, live, unseen"

static void add_digest(TempTable *table, const Count *count, const Digest *digest, gint64 factor)
{
	TEMP_TABLE_ADD(table, count->freed * factor, count->bytes * factor, digest->percentiles[0],
		       digest->percentiles[1], digest->percentiles[2], digest->percentiles[3],
		       count->live * factor, count->unseen * factor);
}

static gboolean print_groups(const Printer *printer, const LifetimesOptions *options,
			     const Groups *groups, const LifetimesWorker *workers, GError **error)
{
	gsize count = groups_count(groups);
	g_autoptr(GArray) top = find_top(workers[0].counts, count, options->limit);
	g_autofree guint32 *slots = g_new(guint32, count + 1);
	g_autofree Digest *digests = g_new0(Digest, top->len + 1);
	g_autofree char *title =
		g_strdup_printf("Lifetimes of freed allocations, by %s", groups_title(options->by));
	g_auto(GroupRows) rows = { NULL };

	memset(slots, 0xff, sizeof(*slots) * count);
	for (guint i = 0; i < top->len; i++) {
		slots[g_array_index(top, gsize, i)] = i;
		digests[i].count = workers[0].counts[g_array_index(top, gsize, i)].freed;
	}
	make_digests(workers, slots, FALSE, digests, top->len);
	group_rows_init(&rows, options->by, DIGEST_COLUMNS);
	for (guint i = 0; i < top->len; i++) {
		gsize group = g_array_index(top, gsize, i);

		group_rows_add(&rows, groups, group);
		add_digest(rows.figures, &workers[0].counts[group], &digests[i], groups->factor);
	}
	return group_rows_print(&rows, printer, "lifetimes", title, error);
}

/* ---- kinds ---- */

/* Sums up the groups of each kind. */
static void count_kinds(const Groups *groups, const Count *counts, Count *kinds)
{
	for (gsize i = 0; i < groups_count(groups); i++) {
		Count *kind = &kinds[groups_kind(groups, i)];

		kind->freed += counts[i].freed;
		kind->bytes += counts[i].bytes;
		kind->live += counts[i].live;
		kind->unseen += counts[i].unseen;
	}
}

static gboolean print_kinds(const Printer *printer, const Groups *groups,
			    const LifetimesWorker *workers, GError **error)
{
	static const guint32 slots[TRACE_KINDS] = { 0, 1, 2, 3 };
	Digest digests[TRACE_KINDS] = { 0 };
	Count kinds[TRACE_KINDS] = { 0 };
	g_autoptr(TempTable) table = temp_table_new("figures", "kind, " DIGEST_COLUMNS);

	count_kinds(groups, workers[0].counts, kinds);
	for (guint i = 0; i < TRACE_KINDS; i++)
		digests[i].count = kinds[i].freed;
	make_digests(workers, slots, TRUE, digests, TRACE_KINDS);
	for (guint i = 0; i < TRACE_KINDS; i++) {
		if (!kinds[i].freed && !kinds[i].live && !kinds[i].unseen)
			continue;
		temp_table_add_text(table, trace_kind_names[i]);
		add_digest(table, &kinds[i], &digests[i], groups->factor);
	}
	return printer_figures(printer, "kinds", "Lifetimes of freed allocations, by kind", table,
			       error);
}

/* Adds a bar for each decade, from the first to the last non-empty one. */
static void add_bars(TempTable *table, const char *kind, const guint64 *decades, gint64 factor)
{
	guint64 most = 0, from_ns = 0;
	guint from = DECADES, to = 0;

	for (guint i = 0; i < DECADES; i++) {
		if (!decades[i])
			continue;
		most = MAX(most, decades[i]);
		from = MIN(from, i);
		to = i;
	}
	for (guint i = 0; i < DECADES; i++, from_ns = from_ns ? from_ns * 10 : 10) {
		guint len = decades[i] ? MAX((guint)((double)decades[i] * BAR / most), 1) : 0;
		g_autofree char *bar = g_strnfill(len, '#');

		if (i < from || i > to)
			continue;
		temp_table_add_text(table, kind);
		TEMP_TABLE_ADD(table, from_ns, decades[i] * factor);
		temp_table_add_text(table, bar);
	}
}

static gboolean print_histogram(const Printer *printer, const Groups *groups,
				const LifetimesWorker *workers, GError **error)
{
	g_autoptr(TempTable) table = temp_table_new("figures", "kind, from_ns, count, bar");

	for (guint i = 0; i < TRACE_KINDS; i++)
		add_bars(table, trace_kind_names[i], workers[0].decades[i], groups->factor);
	return printer_figures(printer, "histogram", "Distribution of lifetimes", table, error);
}

gboolean lifetimes_print(const Printer *printer, gconstpointer data, GError **error)
{
	const LifetimesOptions *options = data;
	g_auto(Groups) groups = { 0 };
	LifetimesWorker workers[SCAN_WORKERS];
	gboolean fine;

	if (!groups_read(printer->db, options->by, options->site, &groups, error))
		return FALSE;
	for (guint i = 0; i < SCAN_WORKERS; i++)
		worker_init(&workers[i], &groups);
	fine = store_scan(printer->db, groups.by_cpu ? "scan_lifetimes_by_cpu" : "scan_lifetimes",
			  NULL, add_lifetime, workers, sizeof(*workers), error);
	if (fine) {
		add_up(workers, groups_count(&groups));
		fine = print_kinds(printer, &groups, workers, error) &&
		       print_histogram(printer, &groups, workers, error) &&
		       print_groups(printer, options, &groups, workers, error);
	}
	for (guint i = 0; i < SCAN_WORKERS; i++)
		worker_clear(&workers[i]);
	if (fine)
		printer_note(
			printer,
			"live and unseen have no lifetime: live allocations were not "
			"freed, and the frees of unseen ones are unknown; - is a percentile of too "
			"few frees: p50 needs 2, p95 20, p99 100");
	return fine && merged_caches_print(printer, options->by, error);
}
