// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scans all lifetimes twice. The first scan divides time into buckets. It gives the live bytes at
 * the end of each bucket, and an upper bound within it: the live bytes at its beginning plus all
 * bytes allocated in it. Only few buckets can contain the maximum; the second scan reads their
 * changes, which are sorted and summed up.
 */
#include "report/live/peak.h"

#include "base/compare.h"
#include "report/groups/live_interval.h"
#include "trace/event/kind.h"

#define BUCKETS 65536

typedef struct {
	gint64 change; /* of live bytes in this bucket; then: live bytes at its end */
	gint64 taken;  /* bytes allocated in it */
} Bucket;

typedef struct {
	gint64 time_ns, change;
} Change;

typedef struct {
	const Groups *groups;
	gint64 width_ns;              /* of a bucket */
	Bucket *buckets;              /* of kind after kind */
	const Bucket *levels;         /* second scan: the buckets of both workers */
	const gint64 *best;           /* by kind: the maximum at the end of a bucket */
	GArray *changes[TRACE_KINDS]; /* of Change */
} PeakWorker;

static Bucket *bucket_at(const PeakWorker *worker, guint kind, gint64 time_ns)
{
	return &worker->buckets[kind * BUCKETS + CLAMP(time_ns / worker->width_ns, 0, BUCKETS - 1)];
}

typedef void (*ChangeFunc)(PeakWorker *worker, guint kind, gint64 time_ns, gint64 change);

static void each_change(PeakWorker *worker, const gint64 *values, ChangeFunc func)
{
	LiveChange changes[2];
	LiveInterval span;
	guint count;

	if (!live_interval_read(worker->groups, values, &span))
		return;
	count = live_interval_changes(worker->groups, &span, changes);
	for (guint i = 0; i < count; i++)
		func(worker, span.kind, changes[i].time_ns, changes[i].bytes);
}

static void add_change(PeakWorker *worker, guint kind, gint64 time_ns, gint64 change)
{
	Bucket *bucket = bucket_at(worker, kind, time_ns);

	bucket->change += change;
	bucket->taken += MAX(change, 0);
}

static void take_first(gpointer data, const gint64 *values)
{
	each_change(data, values, add_change);
}

/* ---- buckets that may contain the peak ---- */

/* Returns whether live bytes in bucket @i of a kind may exceed @best, or reach it earlier. */
static gboolean may_have_peak(const Bucket *buckets, guint i, gint64 best)
{
	return (i ? buckets[i - 1].change : 0) + buckets[i].taken >= best;
}

static void add_levels(PeakWorker *workers, gint64 *best)
{
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		Bucket *buckets = &workers[0].buckets[kind * BUCKETS];
		gint64 level = 0;

		best[kind] = 0;
		for (guint i = 0; i < BUCKETS; i++) {
			for (guint w = 1; w < SCAN_WORKERS; w++) {
				buckets[i].change += workers[w].buckets[kind * BUCKETS + i].change;
				buckets[i].taken += workers[w].buckets[kind * BUCKETS + i].taken;
			}
			level += buckets[i].change;
			buckets[i].change = level;
			best[kind] = MAX(best[kind], level);
		}
	}
}

/* ---- second scan ---- */

static void collect_change(PeakWorker *worker, guint kind, gint64 time_ns, gint64 change)
{
	guint i = CLAMP(time_ns / worker->width_ns, 0, BUCKETS - 1);
	const Bucket *buckets = &worker->levels[kind * BUCKETS];
	Change one = { time_ns, change };

	if (buckets[i].taken && may_have_peak(buckets, i, worker->best[kind]))
		g_array_append_val(worker->changes[kind], one);
}

static void take_second(gpointer data, const gint64 *values)
{
	each_change(data, values, collect_change);
}

static gint compare_changes(gconstpointer a, gconstpointer b)
{
	const Change *x = a, *y = b;

	return COMPARE(x->time_ns, y->time_ns);
}

/* Returns the peak in sorted @changes. Live bytes at a time are counted after all its changes. */
static Peak find_in(const PeakWorker *worker, GArray *changes, guint kind)
{
	const Bucket *buckets = &worker->levels[kind * BUCKETS];
	Peak peak = { .time_ns = -1 };
	gint64 level = 0;
	guint bucket = BUCKETS;

	g_array_sort(changes, compare_changes);
	for (guint i = 0; i < changes->len; i++) {
		const Change *change = &g_array_index(changes, Change, i);
		guint now = CLAMP(change->time_ns / worker->width_ns, 0, BUCKETS - 1);

		if (now != bucket)
			level = now ? buckets[now - 1].change : 0;
		bucket = now;
		level += change->change;
		if (i + 1 < changes->len && change[1].time_ns == change->time_ns)
			continue;
		if (level > peak.bytes)
			peak = (Peak){ change->time_ns, level };
	}
	return peak;
}

static gboolean find_exactly(StoreDb *db, PeakWorker *workers, const gint64 *best, Peak *peaks,
			     GError **error)
{
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i].levels = workers[0].buckets;
		workers[i].best = best;
	}
	if (!store_scan(db, "scan_times", NULL, take_second, workers, sizeof(*workers), error))
		return FALSE;
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		GArray *all = workers[0].changes[kind];

		for (guint i = 1; i < SCAN_WORKERS; i++)
			g_array_append_vals(all, workers[i].changes[kind]->data,
					    workers[i].changes[kind]->len);
		peaks[kind] = find_in(&workers[0], all, kind);
	}
	return TRUE;
}

gboolean peak_find(StoreDb *db, const Groups *groups, Peak peaks[TRACE_KINDS], GError **error)
{
	PeakWorker workers[SCAN_WORKERS] = { 0 };
	gint64 best[TRACE_KINDS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i].groups = groups;
		workers[i].width_ns = groups->span_ns / BUCKETS + 1;
		workers[i].buckets = g_new0(Bucket, TRACE_KINDS * BUCKETS);
		for (guint kind = 0; kind < TRACE_KINDS; kind++)
			workers[i].changes[kind] = g_array_new(FALSE, FALSE, sizeof(Change));
	}
	for (guint kind = 0; kind < TRACE_KINDS; kind++)
		peaks[kind] = (Peak){ .time_ns = -1 };
	fine = store_scan(db, "scan_times", NULL, take_first, workers, sizeof(*workers), error);
	if (fine) {
		add_levels(workers, best);
		fine = find_exactly(db, workers, best, peaks, error);
	}
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_free(workers[i].buckets);
		for (guint kind = 0; kind < TRACE_KINDS; kind++)
			g_array_unref(workers[i].changes[kind]);
	}
	return fine;
}
