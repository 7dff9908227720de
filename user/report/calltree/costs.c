// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Most costs are totals by origin; those that depend on times need a scan of all lifetimes, done
 * only for metrics that were requested. Trees are built from origins, which are few.
 */
#include "report/calltree/costs.h"

#include "base/units.h"
#include "report/calltree/costs_priv.h"
#include "report/calltree/frames.h"
#include "report/calltree/metric.h"
#include "report/groups/live_interval.h"
#include "report/live/peak.h"
#include "report/print/temporaries.h"
#include "trace/event/kind.h"

#define NS_PER_MS 1000000
#define NS_PER_US 1000

/* Sums of the lifetimes of one origin. */
typedef struct {
	gint64 bytes, count, live_bytes, live_count, peak_bytes, peak_count;
	unsigned __int128 byte_ns, lived_ns;
} Sum;

typedef struct {
	const Groups *groups;  /* a group is a CallOrigin */
	const gint64 *peak_ns; /* by kind; below 0: not requested */
	gint64 from_ns, to_ns;
	Sum *sums; /* by group */
} CostWorker;

/* ---- the totals ---- */

/* Columns of calls_origins.sql. */
enum {
	ID,
	KIND,
	EVENT,
	STACK,
	CALLER,
	BYTES,
	WASTE,
	COUNT,
	LIVE_COUNT,
	LIVE_BYTES,
	TEMPORARY,
	FACTOR,
	USER_STACK,
};

static void take_origin(CallCosts *data, StoreRows *rows)
{
	gint64 count = store_rows_int(rows, COUNT);
	CallOrigin origin = {
		.id = store_rows_int(rows, ID),
		.kind = store_rows_int(rows, KIND),
		.event = g_intern_string(store_rows_text(rows, EVENT)),
		.stack = call_frames_join(data->names, store_rows_int(rows, STACK),
					  store_rows_int(rows, USER_STACK)),
		.kernel_stack = store_rows_int(rows, STACK),
		.caller = store_rows_int(rows, CALLER),
		.bytes = store_rows_int(rows, BYTES),
		.waste = store_rows_int(rows, WASTE),
	};

	origin.cost.of[CALL_BYTES] = count * origin.bytes;
	origin.cost.of[CALL_COUNT] = count;
	origin.cost.of[CALL_WASTE_BYTES] = count * origin.waste;
	origin.cost.of[CALL_LIVE_COUNT] = store_rows_int(rows, LIVE_COUNT);
	origin.cost.of[CALL_LIVE_BYTES] = store_rows_int(rows, LIVE_BYTES);
	origin.cost.of[CALL_TEMPORARY] = store_rows_int(rows, TEMPORARY);
	data->factor = MAX(store_rows_int(rows, FACTOR), 1);
	g_array_append_val(data->origins, origin);
}

/* @backed: "1" includes pages with a backing; "0" does not. */
static gboolean read_origins(CallCosts *data, StoreDb *db, const char *backed, GError **error)
{
	const char *const params[] = { ":backed", backed, NULL };
	g_autoptr(StoreRows) rows = store_query_named(db, "calls_origins", params, error);

	while (store_rows_next(rows))
		take_origin(data, rows);
	return store_rows_done(rows, error);
}

/* ---- all lifetimes ---- */

static void take_interval(const CostWorker *worker, const LiveInterval *span, Sum *sum)
{
	gint64 from = MAX(span->time_ns, worker->from_ns), to = MIN(span->end_ns, worker->to_ns);
	gint64 live = live_interval_bytes_at(worker->groups, span, worker->to_ns);

	if (span->time_ns >= worker->from_ns && span->time_ns <= worker->to_ns) {
		sum->bytes += span->bytes;
		sum->count++;
	}
	if (to > from) {
		sum->byte_ns += (unsigned __int128)span->bytes * (guint64)(to - from);
		sum->lived_ns += to - from;
	}
	sum->live_bytes += live;
	sum->live_count += live != 0;
}

static void add_lifetime(gpointer data, const gint64 *values)
{
	CostWorker *worker = data;
	gint64 peak;
	LiveInterval span;
	Sum *sum;

	if (!live_interval_read(worker->groups, values, &span))
		return;
	sum = &worker->sums[span.group];
	take_interval(worker, &span, sum);
	peak = live_interval_bytes_at(worker->groups, &span, worker->peak_ns[span.kind]);
	sum->peak_bytes += peak;
	sum->peak_count += peak != 0;
}

gboolean call_costs_groups(const CallCosts *data, StoreDb *db, Groups *groups, GError **error)
{
	if (!groups_read(db, "kind", "", groups, error))
		return FALSE;
	for (guint32 i = 0; i <= groups->origins; i++)
		groups->origin[i].group = GROUPS_NONE;
	for (guint i = 0; i < data->origins->len; i++) {
		const CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);

		if (origin->id >= 0 && origin->id <= groups->origins)
			groups->origin[origin->id].group = i;
	}
	return TRUE;
}

static void add_sum(Sum *sum, const Sum *more)
{
	sum->bytes += more->bytes;
	sum->count += more->count;
	sum->live_bytes += more->live_bytes;
	sum->live_count += more->live_count;
	sum->peak_bytes += more->peak_bytes;
	sum->peak_count += more->peak_count;
	sum->byte_ns += more->byte_ns;
	sum->lived_ns += more->lived_ns;
}

/* Sets a metric of all origins from the sums, which are in units of 1 / @divisor. */
static void set_times(CallCosts *data, const Sum *sums, CallMetric metric, guint64 divisor)
{
	unsigned __int128 all = 0;

	for (guint i = 0; i < data->origins->len; i++)
		all += metric == CALL_BYTE_MS ? sums[i].byte_ns : sums[i].lived_ns;
	/* Rounding adds less than 1 for each origin. */
	if (all / divisor + data->origins->len > (guint64)(G_MAXINT64 / data->factor)) {
		data->metrics &= ~CALL_METRICS_BIT(metric);
		data->too_large |= CALL_METRICS_BIT(metric);
		return;
	}
	for (guint i = 0; i < data->origins->len; i++) {
		CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);
		unsigned __int128 sum = metric == CALL_BYTE_MS ? sums[i].byte_ns : sums[i].lived_ns;

		origin->cost.of[metric] = (sum + divisor / 2) / divisor;
	}
}

static void set_costs(CallCosts *data, CostWorker *workers, gboolean interval)
{
	for (guint i = 0; i < data->origins->len; i++) {
		CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);
		Sum *sum = &workers[0].sums[i];

		for (guint w = 1; w < SCAN_WORKERS; w++)
			add_sum(sum, &workers[w].sums[i]);
		origin->cost.of[CALL_PEAK_BYTES] = sum->peak_bytes;
		origin->cost.of[CALL_PEAK_COUNT] = sum->peak_count;
		if (!interval)
			continue;
		origin->cost.of[CALL_BYTES] = sum->bytes;
		origin->cost.of[CALL_COUNT] = sum->count;
		origin->cost.of[CALL_WASTE_BYTES] = sum->count * origin->waste;
		origin->cost.of[CALL_LIVE_BYTES] = sum->live_bytes;
		origin->cost.of[CALL_LIVE_COUNT] = sum->live_count;
		origin->cost.of[CALL_TEMPORARY] = 0;
	}
	set_times(data, workers[0].sums, CALL_BYTE_MS, NS_PER_MS);
	set_times(data, workers[0].sums, CALL_LIVED_US, NS_PER_US);
}

static gboolean scan(CallCosts *data, StoreDb *db, const Groups *groups, gboolean interval,
		     gint64 from_ns, gint64 to_ns, GError **error)
{
	CostWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = (CostWorker){ groups, data->peak_ns, from_ns, to_ns,
					   g_new0(Sum, (gsize)data->origins->len + 1) };
	fine = store_scan(db, "scan_times", NULL, add_lifetime, workers, sizeof(*workers), error);
	if (fine)
		set_costs(data, workers, interval);
	for (guint i = 0; i < SCAN_WORKERS; i++)
		g_free(workers[i].sums);
	return fine;
}

static gboolean check_interval(gint64 from_ns, gint64 to_ns, gint64 span_ns, GError **error)
{
	g_autofree char *time = units_format_time(span_ns);

	if (from_ns <= span_ns && to_ns <= span_ns)
		return TRUE;
	return store_fail(error, "the trace ends after %s", time);
}

static gboolean read_lifetimes(CallCosts *data, StoreDb *db, gint64 from_ns, gint64 to_ns,
			       GError **error)
{
	gboolean interval = from_ns >= 0;
	g_auto(Groups) groups = { 0 };
	Peak peaks[TRACE_KINDS];

	if (!call_costs_groups(data, db, &groups, error) ||
	    !check_interval(from_ns, to_ns, groups.span_ns, error))
		return FALSE;
	if (data->metrics & CALL_METRICS_BIT(CALL_PEAK_BYTES)) {
		if (!peak_find(db, &groups, peaks, error))
			return FALSE;
		for (guint i = 0; i < TRACE_KINDS; i++)
			data->peak_ns[i] = peaks[i].time_ns;
	}
	return scan(data, db, &groups, interval, interval ? from_ns : 0,
		    interval && to_ns >= 0 ? to_ns : groups.span_ns, error);
}

/*
 * Adds metrics that are computed together. Quick ones are always known, except for an interval;
 * temporaries except if they must be counted again.
 */
static guint known_metrics(const StoreDb *db, guint metrics, gboolean interval)
{
	const guint temporary = CALL_METRICS_BIT(CALL_TEMPORARY);
	guint quick =
		store_is_restricted(db) ? CALL_METRICS_QUICK & ~temporary : CALL_METRICS_QUICK;
	const guint peak = CALL_METRICS_BIT(CALL_PEAK_BYTES) | CALL_METRICS_BIT(CALL_PEAK_COUNT);
	const guint lived = CALL_METRICS_BIT(CALL_BYTE_MS) | CALL_METRICS_BIT(CALL_LIVED_US);

	if (interval)
		return CALL_METRICS_INTERVAL;
	return metrics | quick | (metrics & peak ? peak : 0) | (metrics & lived ? lived : 0);
}

static void scale(CallCosts *data)
{
	for (guint i = 0; i < data->origins->len; i++) {
		CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);

		if (!(data->metrics & CALL_METRICS_BIT(CALL_TEMPORARY)))
			origin->cost.of[CALL_TEMPORARY] = 0;
		for (guint m = 0; m < CALL_METRICS; m++) {
			origin->cost.of[m] *= data->factor;
			data->all[origin->kind % TRACE_KINDS].of[m] += origin->cost.of[m];
		}
	}
}

static CallCosts *new_costs(guint metrics)
{
	CallCosts *data = g_new0(CallCosts, 1);

	data->metrics = metrics;
	data->factor = 1; /* if there are no origins */
	data->origins = g_array_new(FALSE, TRUE, sizeof(CallOrigin));
	for (guint i = 0; i < TRACE_KINDS; i++)
		data->peak_ns[i] = -1;
	return data;
}

CallCosts *call_costs_read(StoreDb *db, guint metrics, gint64 from_ns, gint64 to_ns, GError **error)
{
	g_autoptr(CallCosts) data =
		new_costs(known_metrics(db, metrics & CALL_METRICS_ALL, from_ns >= 0));

	data->to_ns = to_ns;
	if (data->metrics & CALL_METRICS_BIT(CALL_TEMPORARY) &&
	    (!store_restrict_temporaries(db, error) ||
	     !temporaries_note(db, &data->temporaries_note, error)))
		return NULL;
	data->names = call_frames_read(db, error);
	if (!data->names || !read_origins(data, db, "0", error))
		return NULL;
	if ((data->metrics & ~CALL_METRICS_QUICK || from_ns >= 0) &&
	    !read_lifetimes(data, db, from_ns, to_ns, error))
		return NULL;
	scale(data);
	return g_steal_pointer(&data);
}

CallCosts *call_costs_read_stacks(StoreDb *db, GError **error)
{
	g_autoptr(CallCosts) data = new_costs(0);

	data->names = call_frames_read(db, error);
	if (!data->names || !read_origins(data, db, "1", error))
		return NULL;
	return g_steal_pointer(&data);
}

/* Marks the addresses of the stack of @origin. @seen: nodes of the tree of stacks. */
static void want_stack(const CallFrames *names, const CallOrigin *origin, gboolean *seen,
		       gboolean *wanted)
{
	const CallStack *node = call_frames_stack(names, origin->stack);
	gint64 id = origin->stack;

	if (call_frames_addr(names, origin->caller))
		wanted[origin->caller] = TRUE;
	for (; node && !seen[id]; node = call_frames_stack(names, id)) {
		seen[id] = TRUE;
		wanted[node->addr] = TRUE;
		id = node->parent;
	}
}

void call_costs_add_lines(CallCosts *data, StoreDb *db, int kind)
{
	g_autofree gboolean *seen = g_new0(gboolean, (gsize)call_frames_stacks(data->names) + 1);
	g_autofree gboolean *wanted = g_new0(gboolean, (gsize)call_frames_addrs(data->names) + 1);

	for (guint i = 0; i < data->origins->len; i++) {
		const CallOrigin *origin = &g_array_index(data->origins, CallOrigin, i);

		if (kind < 0 || origin->kind == (guint)kind)
			want_stack(data->names, origin, seen, wanted);
	}
	call_frames_add_lines(data->names, db, wanted);
	data->lines = store_has_lines(db);
}

gboolean call_costs_has_lines(const CallCosts *data)
{
	return data->lines;
}

guint32 call_costs_unknown_subsystems(const CallCosts *data)
{
	return call_frames_unknown_subsystems(data->names);
}

void call_costs_free(CallCosts *data)
{
	if (!data)
		return;
	call_frames_free(data->names);
	g_array_unref(data->origins);
	g_free(data);
}

guint call_costs_metrics(const CallCosts *data)
{
	return data->metrics;
}

char *call_costs_too_large(const CallCosts *data)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint m = 0; m < CALL_METRICS; m++) {
		if (data->too_large & CALL_METRICS_BIT(m))
			g_string_append_printf(names, "%s%s", names->len ? " and " : "",
					       callmetric_of(m)->name);
	}
	return names->len ? g_strdup_printf("Metrics: %s left out, as the sum exceeds 64 bits",
					    names->str)
			  : NULL;
}

const char *call_costs_temporaries_note(const CallCosts *data)
{
	return data->temporaries_note;
}

CallCost call_costs_all(const CallCosts *data, guint kind)
{
	return data->all[kind];
}

gint64 call_costs_to_ns(const CallCosts *data)
{
	return data->to_ns;
}

gint64 call_costs_peak_ns(const CallCosts *data, guint kind)
{
	return data->peak_ns[kind];
}

guint32 call_costs_frames(const CallCosts *data)
{
	return call_frames_frames(data->names);
}

const char *call_costs_function(const CallCosts *data, guint32 frame)
{
	return call_frames_function(data->names, frame);
}

const char *call_costs_module(const CallCosts *data, guint32 frame)
{
	return call_frames_module(data->names, frame);
}

const CallPlace *call_costs_place(const CallCosts *data, guint32 frame)
{
	return call_frames_place(data->names, frame);
}

char *call_costs_describe_place(const CallCosts *data, guint32 frame)
{
	const CallPlace *place = call_costs_place(data, frame);
	GString *text;

	if (!place->file && !place->inlined)
		return NULL;
	text = g_string_new("(");
	if (place->file && place->line)
		g_string_append_printf(text, "%s:%u", place->file, place->line);
	else if (place->file)
		g_string_append_printf(text, "%s:?", place->file);
	if (place->inlined)
		g_string_append(text, place->file ? ", inlined" : "inlined");
	g_string_append_c(text, ')');
	return g_string_free(text, FALSE);
}
