// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups are first ranked by totals, which is fast, so that only the shown groups take memory when
 * all lifetimes are read. A dimension gives each origin a slot; the last slot of a kind is for all
 * others.
 */
#include "report/html/series.h"

#include <string.h>

#include "base/compare.h"
#include "base/units.h"
#include "report/groups/group_rows.h"
#include "report/groups/live_interval.h"
#include "report/print/jsontext.h"
#include "trace/event/kind.h"

#define STEPS       200
#define MARK_BOUNDS 100 /* marks at which a step begins */
#define EDGES       46  /* 0, 1, 2, 5, 10 … ns to 5e14, six days */

enum { SITES, CACHES, STACKS, TASKS, SIZES, DIMENSIONS };

static const char *const by[DIMENSIONS] = { "site", "cache", "stack", "task", "requested" };

/* Values of all dimensions except stacks. */
enum { ALLOCS, BYTES, WASTE, ENDS, END_BYTES, VALUES };
/* Values of stacks: live memory at the end, by allocation time. */
enum { LEFT, LEFT_BYTES, FIRST_NS, LEFT_VALUES };
/* Values of lifetimes. */
enum { LIVES, LIFE_BYTES, LIFE_VALUES };

static const guint values_of[DIMENSIONS] = { VALUES, VALUES, LEFT_VALUES, VALUES, VALUES };

typedef struct {
	guint32 group;
	guint8 kind;
	gint64 count, bytes, live_count, live_bytes;
	double score;
} Rank;

typedef struct {
	Groups groups;
	GArray *ranks[TRACE_KINDS]; /* of Rank, the highest first */
	guint shown[TRACE_KINDS];   /* number of those with a slot of their own */
	guint32 first[TRACE_KINDS]; /* slot */
	guint32 slots;
	guint32 *slot; /* by group; GROUPS_NONE: no allocations */
	gint64 *steps; /* slot, bucket, value */
} Dimension;

struct HtmlSeries {
	Dimension dimensions[DIMENSIONS];
	gint64 *waste; /* by origin: of one allocation */
	gint64 factor;
	GArray *bounds; /* of gint64: the times between steps, with the start and the end */
	guint buckets;  /* steps */
	gint64 edges[EDGES];
	gint64 *lives; /* kind, bucket, edge, value */
};

typedef struct {
	const HtmlSeries *series;
	gint64 *steps[DIMENSIONS];
	gint64 *lives;
} SeriesWorker;

/* ---- groups and ranks ---- */

/* Columns of html_totals.sql. */
enum { TOTAL_ORIGIN, TOTAL_COUNT, TOTAL_BYTES, TOTAL_LIVE_COUNT, TOTAL_LIVE_BYTES, TOTAL_WASTE };

static void take_total(HtmlSeries *series, StoreRows *rows, Rank **ranks)
{
	gint64 id = store_rows_int(rows, TOTAL_ORIGIN);

	for (guint i = 0; i < DIMENSIONS; i++) {
		const GroupOrigin *origin = groups_origin(&series->dimensions[i].groups, id);
		Rank *rank;

		if (!origin)
			return;
		if (i == TASKS)
			continue;
		rank = &ranks[i][origin->group];
		rank->group = origin->group;
		rank->kind = origin->kind;
		rank->count += store_rows_int(rows, TOTAL_COUNT);
		rank->bytes += store_rows_int(rows, TOTAL_BYTES);
		rank->live_count += store_rows_int(rows, TOTAL_LIVE_COUNT);
		rank->live_bytes += store_rows_int(rows, TOTAL_LIVE_BYTES);
	}
	series->waste[id] = store_rows_int(rows, TOTAL_WASTE);
}

static gboolean read_totals(HtmlSeries *series, StoreDb *db, Rank **ranks, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "html_totals", NULL, error);

	while (store_rows_next(rows))
		take_total(series, rows, ranks);
	return store_rows_done(rows, error);
}

typedef struct {
	const Groups *groups;
	Rank *ranks;
} TaskWorker;

/* Columns of scan_tasks.sql. */
enum { TASK_ORIGIN, TASK_TASK, TASK_ENDING, TASK_PARTS };

static void add_task(gpointer data, const gint64 *values)
{
	const TaskWorker *worker = data;
	const GroupOrigin *origin = groups_origin(worker->groups, values[TASK_ORIGIN]);
	Rank *rank;

	if (!origin || lifetime_is_backing(values[TASK_ENDING]))
		return;
	rank = &worker->ranks[groups_of(worker->groups, origin, values[TASK_TASK])];
	rank->kind = origin->kind;
	rank->count++;
	rank->bytes += origin->bytes;
	if (lifetime_state(values[TASK_ENDING]) != LIFETIME_LIVE)
		return;
	rank->live_count++;
	rank->live_bytes += origin->bytes -
			    lifetime_pages_freed(values[TASK_PARTS]) * worker->groups->page_size;
}

static void add_rank(Rank *to, const Rank *from)
{
	to->kind = MAX(to->kind, from->kind);
	to->count += from->count;
	to->bytes += from->bytes;
	to->live_count += from->live_count;
	to->live_bytes += from->live_bytes;
}

/* Reads totals of tasks by a scan: the database has totals only of origins. */
static gboolean read_tasks(const HtmlSeries *series, StoreDb *db, Rank *ranks, GError **error)
{
	const Groups *groups = &series->dimensions[TASKS].groups;
	TaskWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint w = 0; w < SCAN_WORKERS; w++)
		workers[w] = (TaskWorker){ groups, g_new0(Rank, groups_count(groups) + 1) };
	fine = store_scan(db, "scan_tasks", NULL, add_task, workers, sizeof(*workers), error);
	for (guint w = 0; w < SCAN_WORKERS; w++) {
		for (gsize i = 0; i < groups_count(groups); i++)
			add_rank(&ranks[i], &workers[w].ranks[i]);
		g_free(workers[w].ranks);
	}
	for (gsize i = 0; i < groups_count(groups); i++)
		ranks[i].group = (guint32)i;
	return fine;
}

static double share(gint64 value, gint64 of)
{
	return of > 0 ? (double)value / of : 0;
}

static gint compare_ranks(gconstpointer a, gconstpointer b)
{
	const Rank *x = a, *y = b;

	return COMPARE(y->score, x->score) ?: COMPARE(x->group, y->group);
}

/* Ranks stacks with live bytes only. */
static void rank_all(Dimension *dimension, guint number, const Rank *ranks)
{
	gsize count = groups_count(&dimension->groups);
	Rank all[TRACE_KINDS] = { 0 };

	for (gsize i = 0; i < count; i++) {
		all[ranks[i].kind].count += ranks[i].count;
		all[ranks[i].kind].bytes += ranks[i].bytes;
		all[ranks[i].kind].live_bytes += ranks[i].live_bytes;
	}
	for (gsize i = 0; i < count; i++) {
		const Rank *of = &all[ranks[i].kind];
		Rank rank = ranks[i];

		if (!rank.count || (number == STACKS && !rank.live_count))
			continue;
		rank.score = share(rank.live_bytes, of->live_bytes);
		if (number != STACKS)
			rank.score = MAX(rank.score, MAX(share(rank.bytes, of->bytes),
							 share(rank.count, of->count)));
		g_array_append_val(dimension->ranks[rank.kind], rank);
	}
	for (guint i = 0; i < TRACE_KINDS; i++)
		g_array_sort(dimension->ranks[i], compare_ranks);
}

static void give_slots(Dimension *dimension, guint limit)
{
	gsize count = groups_count(&dimension->groups);

	dimension->slot = g_new(guint32, count + 1);
	memset(dimension->slot, 0xff, sizeof(*dimension->slot) * count);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		const GArray *ranks = dimension->ranks[kind];

		dimension->first[kind] = dimension->slots;
		dimension->shown[kind] = MIN(ranks->len, limit);
		for (guint i = 0; i < ranks->len; i++)
			dimension->slot[g_array_index(ranks, Rank, i).group] =
				dimension->slots + MIN(i, dimension->shown[kind]);
		dimension->slots += dimension->shown[kind] + 1;
	}
}

static gboolean read_ranks(HtmlSeries *series, StoreDb *db, const HtmlSeriesLimits *limits,
			   GError **error)
{
	Rank *ranks[DIMENSIONS] = { NULL };
	gboolean fine = TRUE;

	for (guint i = 0; i < DIMENSIONS && fine; i++) {
		Groups *groups = &series->dimensions[i].groups;

		fine = groups_read(db, by[i], "", groups, error);
		if (fine)
			ranks[i] = g_new0(Rank, groups_count(groups) + 1);
	}
	if (fine)
		series->waste = g_new0(gint64, (gsize)series->dimensions[0].groups.origins + 1);
	fine = fine && read_totals(series, db, ranks, error) &&
	       read_tasks(series, db, ranks[TASKS], error);
	for (guint i = 0; i < DIMENSIONS && fine; i++) {
		rank_all(&series->dimensions[i], i, ranks[i]);
		give_slots(&series->dimensions[i], limits->rows[i]);
	}
	for (guint i = 0; i < DIMENSIONS; i++)
		g_free(ranks[i]);
	return fine;
}

/* ---- all lifetimes ---- */

/*
 * Returns the step of a change. A step has the changes after its start, up to its end, so its end
 * equals live --at.
 */
static guint bucket_of(const HtmlSeries *series, gint64 time_ns)
{
	guint low = 0, high = series->buckets;

	while (high - low > 1) {
		guint middle = (low + high) / 2;

		if (g_array_index(series->bounds, gint64, middle) < time_ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static guint edge_of(const HtmlSeries *series, gint64 ns)
{
	guint low = 0, high = EDGES;

	while (high - low > 1) {
		guint middle = (low + high) / 2;

		if (series->edges[middle] <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static gint64 *step_of(const SeriesWorker *worker, guint number, const gint64 *values,
		       gint64 time_ns)
{
	const Dimension *dimension = &worker->series->dimensions[number];
	const GroupOrigin *origin = groups_origin(&dimension->groups, values[LIVE_INTERVAL_ORIGIN]);
	guint32 slot = origin ? dimension->slot[groups_of(&dimension->groups, origin,
							  values[LIVE_INTERVAL_TASK])]
			      : GROUPS_NONE;
	gsize step = (gsize)slot * worker->series->buckets + bucket_of(worker->series, time_ns);

	return slot == GROUPS_NONE ? NULL : &worker->steps[number][step * values_of[number]];
}

static void take_coming(const SeriesWorker *worker, guint dimension, const gint64 *values,
			const LiveInterval *span)
{
	gint64 *step = step_of(worker, dimension, values, span->time_ns);

	if (!step)
		return;
	step[ALLOCS]++;
	step[BYTES] += span->bytes;
	step[WASTE] += worker->series->waste[values[LIVE_INTERVAL_ORIGIN]];
	if (span->end_ns != LIVE_INTERVAL_NEVER) {
		step = step_of(worker, dimension, values, span->end_ns);
		step[ENDS]++;
		step[END_BYTES] += span->bytes;
	} else if (span->bytes != span->bytes_end) {
		step = step_of(worker, dimension, values,
			       worker->series->dimensions[SITES].groups.span_ns);
		step[END_BYTES] += span->bytes - span->bytes_end;
	}
}

static void take_left(const SeriesWorker *worker, const gint64 *values, const LiveInterval *span)
{
	gint64 *step = step_of(worker, STACKS, values, span->time_ns);

	if (!step)
		return;
	if (!step[LEFT] || span->time_ns < step[FIRST_NS])
		step[FIRST_NS] = span->time_ns;
	step[LEFT]++;
	step[LEFT_BYTES] += span->bytes_end;
}

static void take_life(const SeriesWorker *worker, const LiveInterval *span)
{
	const HtmlSeries *series = worker->series;
	gsize step = (gsize)span->kind * series->buckets + bucket_of(series, span->end_ns);
	gint64 *life;

	step = step * EDGES + edge_of(series, span->end_ns - span->time_ns);
	life = &worker->lives[step * LIFE_VALUES];
	life[LIVES]++;
	life[LIFE_BYTES] += span->bytes;
}

static void add_lifetime(gpointer data, const gint64 *values)
{
	const SeriesWorker *worker = data;
	LiveInterval span;

	if (!live_interval_read(&worker->series->dimensions[SITES].groups, values, &span))
		return;
	for (guint i = 0; i < DIMENSIONS; i++) {
		if (i != STACKS)
			take_coming(worker, i, values, &span);
	}
	if (span.end_ns == LIVE_INTERVAL_NEVER)
		take_left(worker, values, &span);
	else if (lifetime_is_freed(values[LIVE_INTERVAL_ENDING]))
		take_life(worker, &span);
}

static gsize lives_len(const HtmlSeries *series)
{
	return (gsize)TRACE_KINDS * series->buckets * EDGES * LIFE_VALUES;
}

static gsize steps_len(const HtmlSeries *series, guint dimension)
{
	return (gsize)series->dimensions[dimension].slots * series->buckets * values_of[dimension];
}

static void add_left(gint64 *to, const gint64 *from, gsize len)
{
	for (gsize i = 0; i < len; i += LEFT_VALUES) {
		if (from[i + LEFT] && (!to[i + LEFT] || from[i + FIRST_NS] < to[i + FIRST_NS]))
			to[i + FIRST_NS] = from[i + FIRST_NS];
		to[i + LEFT] += from[i + LEFT];
		to[i + LEFT_BYTES] += from[i + LEFT_BYTES];
	}
}

static void add_all(gint64 *to, const gint64 *from, gsize len)
{
	for (gsize i = 0; i < len; i++)
		to[i] += from[i];
}

/* Adds up the workers into the first, and the first into the series. */
static void add_up(HtmlSeries *series, SeriesWorker *workers)
{
	for (guint w = 1; w < SCAN_WORKERS; w++) {
		for (guint i = 0; i < DIMENSIONS; i++)
			(i == STACKS ? add_left : add_all)(workers[0].steps[i], workers[w].steps[i],
							   steps_len(series, i));
		add_all(workers[0].lives, workers[w].lives, lives_len(series));
	}
	for (guint i = 0; i < DIMENSIONS; i++)
		series->dimensions[i].steps = g_steal_pointer(&workers[0].steps[i]);
	series->lives = g_steal_pointer(&workers[0].lives);
}

static gboolean read_lifetimes(HtmlSeries *series, StoreDb *db, GError **error)
{
	SeriesWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint w = 0; w < SCAN_WORKERS; w++) {
		workers[w] = (SeriesWorker){ .series = series,
					     .lives = g_new0(gint64, lives_len(series)) };
		for (guint i = 0; i < DIMENSIONS; i++)
			workers[w].steps[i] = g_new0(gint64, steps_len(series, i));
	}
	fine = store_scan(db, "scan_times", NULL, add_lifetime, workers, sizeof(*workers), error);
	if (fine)
		add_up(series, workers);
	for (guint w = 0; w < SCAN_WORKERS; w++) {
		for (guint i = 0; i < DIMENSIONS; i++)
			g_free(workers[w].steps[i]);
		g_free(workers[w].lives);
	}
	return fine;
}

static void make_edges(gint64 *edges)
{
	static const gint64 steps[] = { 1, 2, 5 };
	gint64 decade = 1;

	edges[0] = 0;
	for (guint i = 1; i < EDGES; i++) {
		edges[i] = steps[(i - 1) % 3] * decade;
		if (i % 3 == 0)
			decade *= 10;
	}
}

static void add_bound(StoreRows *rows, gpointer data)
{
	HtmlSeries *series = data;
	gint64 time_ns = store_rows_int(rows, 0);

	if (time_ns > 0 && time_ns < series->dimensions[SITES].groups.span_ns)
		g_array_append_val(series->bounds, time_ns);
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
	return COMPARE(*(const gint64 *)a, *(const gint64 *)b);
}

static gboolean read_bounds(HtmlSeries *series, StoreDb *db, GError **error)
{
	g_autofree char *limit = g_strdup_printf("%d", MARK_BOUNDS);
	const char *const params[] = { ":limit", limit, NULL };
	gint64 span_ns = series->dimensions[SITES].groups.span_ns, first = 0;
	gint64 width_ns = span_ns / STEPS + 1;

	g_array_append_val(series->bounds, first);
	for (gint64 ns = width_ns; ns < span_ns; ns += width_ns)
		g_array_append_val(series->bounds, ns);
	if (!store_each(db, "html_marks", params, add_bound, series, error))
		return FALSE;
	g_array_append_val(series->bounds, span_ns);
	g_array_sort(series->bounds, compare_times);
	for (guint i = series->bounds->len - 1; i > 1; i--) {
		if (g_array_index(series->bounds, gint64, i) ==
		    g_array_index(series->bounds, gint64, i - 1))
			g_array_remove_index(series->bounds, i);
	}
	series->buckets = series->bounds->len - 1;
	return TRUE;
}

HtmlSeries *htmlseries_read(StoreDb *db, const HtmlSeriesLimits *limits, GError **error)
{
	g_autoptr(HtmlSeries) series = g_new0(HtmlSeries, 1);

	make_edges(series->edges);
	series->bounds = g_array_new(FALSE, FALSE, sizeof(gint64));
	for (guint i = 0; i < DIMENSIONS; i++) {
		for (guint kind = 0; kind < TRACE_KINDS; kind++)
			series->dimensions[i].ranks[kind] = g_array_new(FALSE, FALSE, sizeof(Rank));
	}
	if (!read_ranks(series, db, limits, error))
		return NULL;
	series->factor = series->dimensions[SITES].groups.factor;
	if (!read_bounds(series, db, error) || !read_lifetimes(series, db, error))
		return NULL;
	return g_steal_pointer(&series);
}

void htmlseries_free(HtmlSeries *series)
{
	if (!series)
		return;
	for (guint i = 0; i < DIMENSIONS; i++) {
		for (guint kind = 0; kind < TRACE_KINDS; kind++)
			g_array_unref(series->dimensions[i].ranks[kind]);
		groups_clear(&series->dimensions[i].groups);
		g_free(series->dimensions[i].slot);
		g_free(series->dimensions[i].steps);
	}
	g_array_unref(series->bounds);
	g_free(series->waste);
	g_free(series->lives);
	g_free(series);
}

/* ---- as JSON ---- */

static void print_int(FILE *out, gboolean first, gint64 value)
{
	fprintf(out, first ? "%" G_GINT64_FORMAT : ",%" G_GINT64_FORMAT, value);
}

/* Prints the steps with data. Times are not scaled. */
static void print_steps(const HtmlSeries *series, guint number, const gint64 *steps, FILE *out)
{
	guint values = values_of[number];
	gboolean first = TRUE;

	fputs(",\"steps\":[", out);
	for (guint i = 0; i < series->buckets; i++, steps += values) {
		gint64 any = 0;

		for (guint v = 0; v < values; v++)
			any |= steps[v];
		if (!any)
			continue;
		print_int(out, first, i);
		for (guint v = 0; v < values; v++)
			print_int(out, FALSE,
				  number == STACKS && v == FIRST_NS ? steps[v]
								    : steps[v] * series->factor);
		first = FALSE;
	}
	fputs("]}", out);
}

static const gint64 *steps_of(const HtmlSeries *series, guint number, guint32 slot)
{
	return &series->dimensions[number].steps[(gsize)slot * series->buckets * values_of[number]];
}

/* Prints the sum of the others of a kind. */
static void print_others(const HtmlSeries *series, guint number, guint kind, guint shown, FILE *out)
{
	const Dimension *dimension = &series->dimensions[number];
	gsize len = (gsize)series->buckets * values_of[number];
	g_autofree gint64 *sum = g_new0(gint64, len);

	for (guint i = shown; i <= dimension->shown[kind]; i++)
		(number == STACKS ? add_left : add_all)(
			sum, steps_of(series, number, dimension->first[kind] + i), len);
	fprintf(out, "{\"kind\":%u,\"others\":%u", kind, dimension->ranks[kind]->len - shown);
	print_steps(series, number, sum, out);
}

static void add_cut(GPtrArray *cut, guint number, guint kind, guint shown, guint all)
{
	static const char *const kinds[TRACE_KINDS] = { "slab", "page", "per-CPU", "vmalloc" };
	static const char *const texts[DIMENSIONS] = {
		"call sites", "caches", "stacks live at the end", "processes", "request sizes",
	};
	g_autofree char *few = units_format_count(shown), *many = units_format_count(all);

	g_ptr_array_add(
		cut, g_strdup_printf("%s: of %s %s, %s are listed one by one, all others together",
				     kinds[kind], many, texts[number], few));
}

/* Columns of html_names.sql. */
enum { NAME_NAME, NAME_MODULE, NAME_STACK, NAME_SIZE };

/* Prints the columns that are not NULL. */
static void print_names(StoreRows *rows, FILE *out)
{
	static const char *const keys[] = { "name", "module", "stack" };

	for (guint i = NAME_NAME; i <= NAME_STACK; i++) {
		if (store_rows_type(rows, (int)i) == STORE_NULL)
			continue;
		fprintf(out, ",\"%s\":", keys[i]);
		jsontext_print(store_rows_raw(rows, (int)i), out);
	}
	if (store_rows_type(rows, NAME_SIZE) != STORE_NULL)
		fprintf(out, ",\"size\":%" G_GINT64_FORMAT, store_rows_int(rows, NAME_SIZE));
}

/* Prints the ranks of a kind, and the sum of the others. */
static gboolean print_kind(const HtmlSeries *series, StoreDb *db, guint number, guint kind,
			   guint limit, const char **comma, FILE *out, GError **error)
{
	const Dimension *dimension = &series->dimensions[number];
	guint shown = MIN(dimension->shown[kind], limit);
	const char *params[] = { ":by", by[number], NULL };
	g_auto(GroupRows) groups = { NULL };
	g_autoptr(StoreRows) rows = NULL;

	group_rows_init(&groups, by[number], "none");
	for (guint i = 0; i < shown; i++)
		group_rows_add(&groups, &dimension->groups,
			       g_array_index(dimension->ranks[kind], Rank, i).group);
	if (group_rows_create(&groups, db, error))
		rows = store_query_named(db, "html_names", params, error);
	if (!rows)
		return FALSE;
	for (guint i = 0; i < shown && store_rows_next(rows); i++) {
		fprintf(out, "%s\n{\"kind\":%u", *comma, kind);
		print_names(rows, out);
		print_steps(series, number, steps_of(series, number, dimension->first[kind] + i),
			    out);
		*comma = ",";
	}
	return store_rows_done(rows, error);
}

static gboolean print_dimension(const HtmlSeries *series, StoreDb *db, guint number, guint limit,
				FILE *out, GPtrArray *cut, GError **error)
{
	static const char *const keys[DIMENSIONS] = { "sites", "caches", "old", "processes",
						      "sizes" };
	const Dimension *dimension = &series->dimensions[number];
	const char *comma = "";

	fprintf(out, ",\n\"%s\":[", keys[number]);
	/* Only slab objects have caches. */
	for (guint kind = 0; kind < (number == CACHES ? 1 : TRACE_KINDS); kind++) {
		guint all = dimension->ranks[kind]->len;
		guint shown = MIN(dimension->shown[kind], limit);

		if (!print_kind(series, db, number, kind, limit, &comma, out, error))
			return FALSE;
		if (shown == all)
			continue;
		fprintf(out, "%s\n", comma);
		print_others(series, number, kind, shown, out);
		add_cut(cut, number, kind, shown, all);
		comma = ",";
	}
	fputc(']', out);
	return TRUE;
}

static void print_lives(const HtmlSeries *series, FILE *out)
{
	fputs(",\n\"lifetimes\":{\"edges\":[", out);
	for (guint i = 0; i < EDGES; i++)
		print_int(out, !i, series->edges[i]);
	fputs("],\"kinds\":[", out);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		const gint64 *life =
			&series->lives[(gsize)kind * series->buckets * EDGES * LIFE_VALUES];
		gboolean first = TRUE;

		fputs(kind ? ",\n[" : "\n[", out);
		for (guint i = 0; i < series->buckets * EDGES; i++, life += LIFE_VALUES) {
			if (!life[LIVES])
				continue;
			print_int(out, first, i / EDGES);
			print_int(out, FALSE, i % EDGES);
			print_int(out, FALSE, life[LIVES] * series->factor);
			print_int(out, FALSE, life[LIFE_BYTES] * series->factor);
			first = FALSE;
		}
		fputc(']', out);
	}
	fputs("]}", out);
}

gboolean htmlseries_print(const HtmlSeries *series, StoreDb *db, const HtmlSeriesLimits *limits,
			  FILE *out, GPtrArray *cut, GError **error)
{
	fputs("\"bounds\":[", out);
	for (guint i = 0; i <= series->buckets; i++)
		print_int(out, !i, g_array_index(series->bounds, gint64, i));
	fputc(']', out);
	for (guint i = 0; i < DIMENSIONS; i++) {
		if (!print_dimension(series, db, i, limits->rows[i], out, cut, error))
			return FALSE;
	}
	print_lives(series, out);
	return TRUE;
}
