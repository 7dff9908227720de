// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals are kept by origin, and summed for each figure by its condition. Lifetimes need a scan of
 * the whole trace, done only if a condition names them.
 */
#include "report/check/figures.h"

#include <math.h>
#include <string.h>

#include "base/glob.h"
#include "base/quickselect.h"
#include "base/seed.h"
#include "report/groups/match_names.h"
#include "report/groups/merged_caches.h"
#include "store/query/scan.h"
#include "trace/event/kind.h"

typedef enum {
	ALLOCS,
	BYTES,
	LIVE_COUNT,
	LIVE,
	WASTE,
	LEAKED_COUNT,
	LEAKED,
	SUPPRESSED_COUNT,
	SUPPRESSED,
	OWN_COUNT,
	OWN,
	SUMS, /* sums over origins come before it */
	LIFETIME_P50,
	LIFETIME_P95,
	LIFETIME_P99,
	LIFETIME_MAX,
	WHOLE, /* columns of check_whole.sql from here on */
	LOST = WHOLE,
	MISSING,
	UNSEEN,
	EVENTS,
	FAILED,
	SPAN,
} Metric;

#define KIND_MOST TRACE_KINDS /* the maximum of all kinds */

/* Parallel to names[]. */
typedef struct {
	Metric metric;
	guint kind;
} Meaning;

#define OF_KINDS(X, name, metric, unit, help)                                                      \
	X(name, metric, KIND_MOST, unit, TRUE, help ", of the kind with the most")                 \
	X(name "_slab", metric, 0, unit, TRUE, help ": slab objects, large kmallocs")              \
	X(name "_page", metric, 1, unit, TRUE, help ": pages that back nothing else")              \
	X(name "_percpu", metric, 2, unit, TRUE, help ": per-CPU memory, on all CPUs")             \
	X(name "_vmalloc", metric, 3, unit, TRUE, help ": addresses of vmalloc space")

#define FIGURES(X)                                                                                 \
	OF_KINDS(X, "leaked", LEAKED, EXPR_BYTES,                                                  \
		 "bytes live, and older than --older or left by an unloaded module")               \
	OF_KINDS(X, "leaked_count", LEAKED_COUNT, EXPR_COUNT, "number of these")                   \
	OF_KINDS(X, "suppressed", SUPPRESSED, EXPR_BYTES, "suppressed bytes, not in leaked")       \
	OF_KINDS(X, "suppressed_count", SUPPRESSED_COUNT, EXPR_COUNT,                              \
		 "number of suppressed allocations")                                               \
	OF_KINDS(X, "own", OWN, EXPR_BYTES, "bytes of the tracer and its recorder, not in leaked") \
	OF_KINDS(X, "own_count", OWN_COUNT, EXPR_COUNT, "number of these")                         \
	OF_KINDS(X, "live", LIVE, EXPR_BYTES, "bytes live at the end")                             \
	OF_KINDS(X, "live_count", LIVE_COUNT, EXPR_COUNT, "allocations live at the end")           \
	OF_KINDS(X, "bytes", BYTES, EXPR_BYTES, "total bytes allocated")                           \
	OF_KINDS(X, "allocs", ALLOCS, EXPR_COUNT, "allocations")                                   \
	X("waste", WASTE, 0, EXPR_BYTES, TRUE, "bytes of slab objects wasted by rounding")         \
	OF_KINDS(X, "lifetime_p50", LIFETIME_P50, EXPR_TIME,                                       \
		 "median lifetime of freed allocations")                                           \
	OF_KINDS(X, "lifetime_p95", LIFETIME_P95, EXPR_TIME, "95th percentile of lifetimes")       \
	OF_KINDS(X, "lifetime_p99", LIFETIME_P99, EXPR_TIME, "99th percentile of lifetimes")       \
	OF_KINDS(X, "lifetime_max", LIFETIME_MAX, EXPR_TIME,                                       \
		 "longest lifetime of freed allocations")                                          \
	X("lost", LOST, 0, EXPR_COUNT, FALSE, "events lost while recording")                       \
	X("missing", MISSING, 0, EXPR_COUNT, FALSE, "sub-buffers missing from the file")           \
	X("unseen", UNSEEN, 0, EXPR_COUNT, FALSE, "untraced paths of a kind with traced ones")     \
	X("events", EVENTS, 0, EXPR_COUNT, FALSE, "events in the trace")                           \
	X("failed", FAILED, 0, EXPR_COUNT, FALSE, "failed allocations")                            \
	X("span", SPAN, 0, EXPR_TIME, FALSE, "time from the first event to the last")

#define NAME(name, metric, kind, unit, by_origin, help)    { name, unit, by_origin, help },
#define MEANING(name, metric, kind, unit, by_origin, help) { metric, kind },

static const ExprName names[] = { FIGURES(NAME) };
static const Meaning meanings[] = { FIGURES(MEANING) };

typedef struct {
	guint kind; /* TRACE_KINDS: unknown */
	gint64 caller;
	const char *cache; /* name; NULL: none */
	double sums[SUMS];
	gboolean suppressed;
} Origin;

struct Figures {
	StoreDb *db;
	StableNames *names;
	MergedCaches *caches;
	GHashTable *origins;           /* id to Origin */
	MatchNames *suppressed;        /* by their function; NULL: no suppressions */
	GHashTable *suppressed_caches; /* set of names; NULL as above */
	double whole[SPAN - WHOLE + 1];
	gboolean is_untraced[TRACE_KINDS];
};

const ExprName *figures_names(guint *count)
{
	*count = G_N_ELEMENTS(names);
	return names;
}

/* ---- reading ---- */

static gboolean has_cache(GHashTable *set, const Origin *origin)
{
	return origin->cache && g_hash_table_contains(set, origin->cache);
}

static gboolean is_suppressed(const Figures *figures, const Origin *origin, gint64 stack)
{
	return figures->suppressed && (has_cache(figures->suppressed_caches, origin) ||
				       match_names_frame(figures->suppressed, origin->caller) ||
				       match_names_stack(figures->suppressed, stack));
}

/* Columns of diff_origins.sql. */
enum {
	KIND,
	ORIGIN,
	CALLER,
	STACK,
	CACHE,
	COL_ALLOCS,
	COL_BYTES,
	COL_LIVE_COUNT,
	COL_LIVE,
	COL_WASTE
};

static void take_origin(StoreRows *rows, gpointer data)
{
	const Figures *figures = data;
	Origin *origin = g_new0(Origin, 1);

	origin->kind = trace_kind_find(store_rows_text(rows, KIND));
	origin->caller = store_rows_int(rows, CALLER);
	origin->cache = merged_caches_name(figures->caches, store_rows_raw(rows, CACHE));
	origin->sums[ALLOCS] = store_rows_double(rows, COL_ALLOCS);
	origin->sums[BYTES] = store_rows_double(rows, COL_BYTES);
	origin->sums[LIVE_COUNT] = store_rows_double(rows, COL_LIVE_COUNT);
	origin->sums[LIVE] = store_rows_double(rows, COL_LIVE);
	origin->sums[WASTE] = store_rows_double(rows, COL_WASTE);
	origin->suppressed = is_suppressed(figures, origin, store_rows_int(rows, STACK));
	g_hash_table_insert(figures->origins, seed_key(store_rows_int(rows, ORIGIN)), origin);
}

static void take_leaked(StoreRows *rows, gpointer data)
{
	const Figures *figures = data;
	gint64 id = store_rows_int(rows, 0);
	Origin *origin = g_hash_table_lookup(figures->origins, &id);
	Metric count = LEAKED_COUNT, bytes = LEAKED;

	if (!origin)
		return;
	if (store_rows_int(rows, 3)) {
		count = OWN_COUNT;
		bytes = OWN;
	} else if (origin->suppressed) {
		count = SUPPRESSED_COUNT;
		bytes = SUPPRESSED;
	}
	origin->sums[count] = store_rows_double(rows, 1);
	origin->sums[bytes] = store_rows_double(rows, 2);
}

static void take_whole(StoreRows *rows, gpointer data)
{
	Figures *figures = data;
	const guint not_traced = G_N_ELEMENTS(figures->whole); /* column */
	g_auto(GStrv) groups = g_strsplit(store_rows_text(rows, not_traced), " ", -1);

	for (guint i = 0; i < not_traced; i++)
		figures->whole[i] = store_rows_double(rows, i);
	for (guint kind = 0; kind < TRACE_KINDS; kind++)
		figures->is_untraced[kind] =
			g_strv_contains((const char *const *)groups, trace_kind_names[kind]);
}

Figures *figures_read(StoreDb *db, guint64 older_ns, const Suppress *suppress, GError **error)
{
	g_autoptr(Figures) figures = g_new0(Figures, 1);
	g_autofree char *older = g_strdup_printf("%" G_GUINT64_FORMAT, older_ns);
	const char *const params[] = { ":older_ns", older, NULL };

	figures->db = db;
	figures->origins = g_hash_table_new_full(seed_int64, g_int64_equal, g_free, g_free);
	figures->names = stable_names_read(db, error);
	figures->caches = merged_caches_new();
	if (!figures->names || !merged_caches_add(figures->caches, db, error))
		return NULL;
	if (suppress) {
		figures->suppressed = match_names_new(figures->names, suppress_functions(suppress));
		figures->suppressed_caches =
			merged_caches_find(figures->caches, suppress_caches(suppress));
	}
	if (!store_each(db, "diff_origins", NULL, take_origin, figures, error) ||
	    !store_each(db, "check_leaked", params, take_leaked, figures, error) ||
	    !store_each(db, "check_whole", NULL, take_whole, figures, error))
		return NULL;
	return g_steal_pointer(&figures);
}

void figures_free(Figures *figures)
{
	if (!figures)
		return;
	match_names_free(figures->suppressed);
	stable_names_free(figures->names);
	g_clear_pointer(&figures->suppressed_caches, g_hash_table_unref);
	merged_caches_free(figures->caches);
	g_hash_table_unref(figures->origins);
	g_free(figures);
}

/* ---- origins ---- */

typedef struct {
	GPtrArray *site;     /* of a GPatternSpec; NULL: any, as the following */
	MatchNames *callers; /* that match it */
	GHashTable *caches;  /* set of names */
} Filter;

static void free_glob(gpointer glob)
{
	g_pattern_spec_free(glob);
}

static GPtrArray *one_glob(const char *glob)
{
	GPtrArray *globs = g_ptr_array_new_with_free_func(free_glob);

	g_ptr_array_add(globs, glob_new(glob));
	return globs;
}

static void filter_init(Filter *filter, const Figures *figures, const ExprFigure *figure)
{
	if (figure->site) {
		filter->site = one_glob(figure->site);
		filter->callers = match_names_new(figures->names, filter->site);
	}
	if (figure->cache) {
		g_autoptr(GPtrArray) globs = one_glob(figure->cache);

		filter->caches = merged_caches_find(figures->caches, globs);
	}
}

static void filter_clear(Filter *filter)
{
	g_clear_pointer(&filter->callers, match_names_free);
	g_clear_pointer(&filter->site, g_ptr_array_unref);
	g_clear_pointer(&filter->caches, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Filter, filter_clear)

static gboolean filter_takes(const Filter *filter, const Origin *origin)
{
	return origin->kind < TRACE_KINDS &&
	       (!filter->callers || match_names_frame(filter->callers, origin->caller)) &&
	       (!filter->caches || has_cache(filter->caches, origin));
}

/* ---- one figure ---- */

/* Returns a sum over origins, or the maximum of the kinds; NAN: they were not traced. */
static double sum_up(const Figures *figures, const Filter *filter, const Meaning *meaning)
{
	double sums[TRACE_KINDS + 1] = { 0 };
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, figures->origins);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const Origin *origin = value;

		if (filter_takes(filter, origin))
			sums[origin->kind] += origin->sums[meaning->metric];
	}
	sums[KIND_MOST] = NAN;
	for (guint i = 0; i < TRACE_KINDS; i++) {
		sums[i] = figures->is_untraced[i] ? NAN : sums[i];
		sums[KIND_MOST] = fmax(sums[KIND_MOST], sums[i]);
	}
	return sums[meaning->kind];
}

/* Columns of scan_lifetimes.sql. */
enum { ROW_ORIGIN, ROW_TASK, ROW_LIFETIME, ROW_ENDING };

typedef struct {
	const GArray *kinds;            /* of guint8, by origin: its kind + 1; 0: not included */
	GArray *lifetimes[TRACE_KINDS]; /* of guint64 */
} LifetimesWorker;

static void take_lifetime(gpointer data, const gint64 *values)
{
	const LifetimesWorker *worker = data;
	guint64 origin = values[ROW_ORIGIN], ns = values[ROW_LIFETIME];
	guint8 kind =
		origin < worker->kinds->len ? g_array_index(worker->kinds, guint8, origin) : 0;

	if (kind && lifetime_is_freed(values[ROW_ENDING]) &&
	    !lifetime_is_backing(values[ROW_ENDING]))
		g_array_append_val(worker->lifetimes[kind - 1], ns);
}

/* Returns the percentile by nearest rank, as the report does, but also for few values. */
static double percentile(GArray *lifetimes, Metric metric)
{
	gsize count = lifetimes->len, rank = count;

	if (!count)
		return NAN;
	if (metric == LIFETIME_P50)
		rank = (count + 1) / 2;
	else if (metric == LIFETIME_P95)
		rank = (95 * count + 99) / 100;
	else if (metric == LIFETIME_P99)
		rank = (99 * count + 99) / 100;
	return quickselect((guint64 *)lifetimes->data, count, rank - 1);
}

/* Returns LifetimesWorker.kinds, for g_array_unref(). */
static GArray *choose_origins(const Figures *figures, const Filter *filter, guint kind)
{
	GArray *chosen = g_array_new(FALSE, TRUE, sizeof(guint8));
	GHashTableIter iter;
	gpointer id, value;

	g_hash_table_iter_init(&iter, figures->origins);
	while (g_hash_table_iter_next(&iter, &id, &value)) {
		const Origin *origin = value;
		guint64 number = *(const gint64 *)id;

		if (number > G_MAXINT32 || (kind != KIND_MOST && kind != origin->kind) ||
		    !filter_takes(filter, origin))
			continue;
		if (chosen->len <= number)
			g_array_set_size(chosen, number + 1);
		g_array_index(chosen, guint8, number) = origin->kind + 1;
	}
	return chosen;
}

static gboolean get_lifetime(Figures *figures, const Filter *filter, const Meaning *meaning,
			     double *value, GError **error)
{
	g_autoptr(GArray) kinds = choose_origins(figures, filter, meaning->kind);
	LifetimesWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint w = 0; w < SCAN_WORKERS; w++) {
		workers[w].kinds = kinds;
		for (guint i = 0; i < TRACE_KINDS; i++)
			workers[w].lifetimes[i] = g_array_new(FALSE, FALSE, sizeof(guint64));
	}
	fine = store_scan(figures->db, "scan_lifetimes", NULL, take_lifetime, workers,
			  sizeof(*workers), error);
	*value = NAN;
	for (guint i = 0; i < TRACE_KINDS; i++) {
		GArray *all = workers[0].lifetimes[i];

		for (guint w = 1; w < SCAN_WORKERS; w++) {
			g_array_append_vals(all, workers[w].lifetimes[i]->data,
					    workers[w].lifetimes[i]->len);
			g_array_unref(workers[w].lifetimes[i]);
		}
		*value = fmax(*value, percentile(all, meaning->metric));
		g_array_unref(all);
	}
	return fine;
}

/* Filters do not change what the tracer lost or did not see, but all other counts of events. */
static gboolean get_whole(const Figures *figures, const ExprFigure *figure, Metric metric,
			  double *value, GError **error)
{
	*value = figures->whole[metric - WHOLE];
	return (metric != EVENTS && metric != FAILED) || !store_is_restricted(figures->db) ||
	       store_fail(error, "%s is a figure of the whole trace: check it without filters",
			  figure->name->name);
}

gboolean figures_get(Figures *figures, const ExprFigure *figure, double *value, GError **error)
{
	const Meaning *meaning = &meanings[figure->name - names];
	g_auto(Filter) filter = { NULL };

	if (meaning->metric >= WHOLE)
		return get_whole(figures, figure, meaning->metric, value, error);
	filter_init(&filter, figures, figure);
	if (meaning->metric > SUMS)
		return get_lifetime(figures, &filter, meaning, value, error);
	*value = sum_up(figures, &filter, meaning);
	return TRUE;
}
