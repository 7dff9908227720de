// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/live/live_changes.h"

#include "base/compare.h"

#define BUCKETS     65536
#define CHANGES_MAX (1U << 22) /* in a part (96 MiB), unless a single bucket has more */

typedef struct {
	const Groups *groups;
	gint64 width_ns;   /* of a bucket */
	guint64 *counts;   /* of changes, by bucket */
	guint first, last; /* buckets of this part */
	GArray *changes;   /* of LiveChange */
} ChangesWorker;

static guint bucket_of(const ChangesWorker *worker, gint64 time_ns)
{
	return CLAMP(time_ns / worker->width_ns, 0, BUCKETS - 1);
}

typedef void (*ChangeFunc)(ChangesWorker *worker, const LiveChange *change);

static void each_change(ChangesWorker *worker, const gint64 *values, ChangeFunc func)
{
	LiveChange changes[2];
	LiveInterval span;
	guint count;

	if (!live_interval_read(worker->groups, values, &span))
		return;
	count = live_interval_changes(worker->groups, &span, changes);
	for (guint i = 0; i < count; i++)
		func(worker, &changes[i]);
}

static void count_change(ChangesWorker *worker, const LiveChange *change)
{
	worker->counts[bucket_of(worker, change->time_ns)]++;
}

static void take_count(gpointer data, const gint64 *values)
{
	each_change(data, values, count_change);
}

static void keep_change(ChangesWorker *worker, const LiveChange *change)
{
	guint bucket = bucket_of(worker, change->time_ns);

	if (bucket >= worker->first && bucket <= worker->last)
		g_array_append_vals(worker->changes, change, 1);
}

static void take_changes(gpointer data, const gint64 *values)
{
	each_change(data, values, keep_change);
}

static gint compare_changes(gconstpointer a, gconstpointer b)
{
	const LiveChange *x = a, *y = b;

	return COMPARE(x->time_ns, y->time_ns) ?: COMPARE(x->group, y->group);
}

static void report_changes(GArray *changes, LiveChangesFunc func, gpointer data)
{
	const LiveChange *all;
	guint end;

	g_array_sort(changes, compare_changes);
	all = (const LiveChange *)(gpointer)changes->data;
	for (guint i = 0; i < changes->len; i = end) {
		for (end = i + 1; end < changes->len && all[end].time_ns == all[i].time_ns;)
			end++;
		func(data, all + i, end - i);
	}
}

/* Reads the part from worker->first on; FALSE with an error on failure. */
static gboolean read_piece(StoreDb *db, ChangesWorker *workers, LiveChangesFunc func, gpointer data,
			   GError **error)
{
	for (guint i = 0; i < SCAN_WORKERS; i++)
		g_array_set_size(workers[i].changes, 0);
	if (!store_scan(db, "scan_times", NULL, take_changes, workers, sizeof(*workers), error))
		return FALSE;
	for (guint i = 1; i < SCAN_WORKERS; i++)
		g_array_append_vals(workers[0].changes, workers[i].changes->data,
				    workers[i].changes->len);
	report_changes(workers[0].changes, func, data);
	return TRUE;
}

static gboolean read_pieces(StoreDb *db, ChangesWorker *workers, LiveChangesFunc func,
			    gpointer data, GError **error)
{
	guint first = 0;

	for (guint i = 0; i < BUCKETS; i++) {
		for (guint w = 1; w < SCAN_WORKERS; w++)
			workers[0].counts[i] += workers[w].counts[i];
	}
	while (first < BUCKETS) {
		guint64 count = workers[0].counts[first];
		guint last = first;

		while (last + 1 < BUCKETS && count + workers[0].counts[last + 1] <= CHANGES_MAX)
			count += workers[0].counts[++last];
		for (guint w = 0; w < SCAN_WORKERS; w++) {
			workers[w].first = first;
			workers[w].last = last;
		}
		if (count && !read_piece(db, workers, func, data, error))
			return FALSE;
		first = last + 1;
	}
	return TRUE;
}

gboolean live_changes(StoreDb *db, const Groups *groups, LiveChangesFunc func, gpointer data,
		      GError **error)
{
	ChangesWorker workers[SCAN_WORKERS] = { 0 };
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i].groups = groups;
		workers[i].width_ns = groups->span_ns / BUCKETS + 1;
		workers[i].counts = g_new0(guint64, BUCKETS);
		workers[i].changes = g_array_new(FALSE, FALSE, sizeof(LiveChange));
	}
	fine = store_scan(db, "scan_times", NULL, take_count, workers, sizeof(*workers), error) &&
	       read_pieces(db, workers, func, data, error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_free(workers[i].counts);
		g_array_unref(workers[i].changes);
	}
	return fine;
}
