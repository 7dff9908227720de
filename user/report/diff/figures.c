// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each trace has figures by origin, and an origin's name is looked up once, so a comparison takes
 * the same time for traces of any length. Totals by origin have no task: for tasks, two threads
 * scan all allocations, which are summed here, since SQLite would sort them all.
 */
#include "report/diff/figures.h"

#include <math.h>
#include <string.h>

#include "base/seed.h"
#include "report/groups/merged_caches.h"
#include "report/groups/stable_names.h"
#include "store/query/scan.h"
#include "trace/event/kind.h"

/* Columns of diff_origins.sql. */
enum {
	KIND,
	ORIGIN,
	CALLER,
	STACK,
	CACHE,
	FIRST_FIGURE,
	NODE = FIRST_FIGURE + DIFF_FIGURES,
	ORDER,
	SIZE
};

/* @names: of groups, separated by spaces. */
static void take_untraced(DiffData *diff, guint side, const char *names)
{
	g_auto(GStrv) words = g_strsplit(names, " ", -1);

	for (guint i = 0; i < TRACE_KINDS; i++)
		diff->kinds[i].untraced[side] =
			g_strv_contains((const char *const *)words, trace_kind_names[i]);
}

/* Returns the length of the trace, or of its interval that is compared. */
static gint64 compared_ns(const DiffData *diff, guint side)
{
	const Selection *selection = &diff->options->selections[side];

	return selection_has_interval(selection) ? selection->to_ns - selection->from_ns
						 : diff->span_ns[side];
}

static gboolean read_head(DiffData *diff, guint side, StoreDb *db, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "diff_trace", NULL, error);
	const char *name = diff->options->names[side];

	if (!rows || !completeness_read(db, &diff->completeness[side], error))
		return FALSE;
	diff->span_ns[side] = store_rows_int(rows, 0);
	diff->events[side] = store_rows_int(rows, 1);
	diff->scaled[side] = store_rows_int(rows, 4);
	diff->sample[side] = store_rows_int(rows, 2);
	take_untraced(diff, side, store_rows_text(rows, 3));
	if (diff->options->per == DIFF_PER_SECOND && compared_ns(diff, side) <= 0)
		return store_fail(error, "%s has no duration: no figures per second", name);
	if (diff->options->per == DIFF_PER_EVENT && diff->events[side] <= 0)
		return store_fail(error, "%s has no events: no figures per event", name);
	return TRUE;
}

static double divisor(const DiffData *diff, guint side)
{
	switch (diff->options->per) {
	case DIFF_PER_SECOND:
		return compared_ns(diff, side) / 1e9;
	case DIFF_PER_EVENT:
		return (double)diff->scaled[side];
	default:
		return 1;
	}
}

static char *text_or(StoreRows *rows, int column, const char *otherwise)
{
	return g_strdup(store_rows_type(rows, column) == STORE_NULL ? otherwise
								    : store_rows_raw(rows, column));
}

/* Returns the name under which an origin is counted. */
static char *name_of(const DiffData *diff, const StableNames *names, StoreRows *rows)
{
	switch (diff->options->by) {
	case DIFF_BY_CACHE:
		return store_rows_type(rows, CACHE) == STORE_NULL
			       ? g_strdup("(no cache)")
			       : g_strdup(merged_caches_first(diff->options->comparison.caches,
							      store_rows_raw(rows, CACHE)));
	case DIFF_BY_MODULE:
		return g_strdup(stable_names_module(names, store_rows_int(rows, CALLER)));
	case DIFF_BY_KIND:
		return text_or(rows, KIND, "");
	case DIFF_BY_NODE:
		return text_or(rows, NODE, "(no node)");
	case DIFF_BY_ORDER:
		return text_or(rows, ORDER, "(no order)");
	case DIFF_BY_SIZE:
		return text_or(rows, SIZE, "");
	default:
		return g_strdup(stable_names_function(names, store_rows_int(rows, CALLER)));
	}
}

static DiffKind *find_kind(DiffData *diff, const char *name)
{
	enum trace_kind kind = trace_kind_find(name);

	return kind == TRACE_KINDS ? NULL : &diff->kinds[kind];
}

static void free_row(gpointer data)
{
	DiffRow *row = data;

	g_free(row->name);
	g_free(row);
}

/* Takes over @name. */
static DiffRow *find_row(DiffKind *kind, char *name)
{
	DiffRow *row = g_hash_table_lookup(kind->rows, name);

	if (row) {
		g_free(name);
		return row;
	}
	row = g_new0(DiffRow, 1);
	row->name = name;
	g_hash_table_insert(kind->rows, name, row);
	return row;
}

static DiffRow *find_stack(const DiffData *diff, DiffKind *kind, gint64 stack)
{
	guint path = stack_paths_add(diff->paths, stack);
	DiffRow *row = g_hash_table_lookup(kind->rows, GUINT_TO_POINTER(path));

	if (row)
		return row;
	row = g_new0(DiffRow, 1);
	row->path = path;
	g_hash_table_insert(kind->rows, GUINT_TO_POINTER(path), row);
	return row;
}

char *diffdata_name(const DiffData *diff, const DiffRow *row)
{
	if (diff->paths)
		return stack_paths_text(diff->paths, row->path);
	return g_strdup(diff->options->by == DIFF_BY_CACHE
				? merged_caches_used(diff->options->comparison.caches, row->name)
				: row->name);
}

static void take_row(DiffData *diff, guint side, StoreRows *rows, const StableNames *names)
{
	DiffKind *kind = find_kind(diff, store_rows_text(rows, KIND));
	double by = divisor(diff, side);
	DiffRow *row;

	if (!kind)
		return;
	row = diff->paths ? find_stack(diff, kind, store_rows_int(rows, STACK))
			  : find_row(kind, name_of(diff, names, rows));
	row->in[side] = kind->all.in[side] = TRUE;
	for (guint i = 0; i < DIFF_FIGURES; i++) {
		row->figures[side][i] += store_rows_double(rows, FIRST_FIGURE + i) / by;
		kind->all.figures[side][i] += store_rows_double(rows, FIRST_FIGURE + i) / by;
	}
}

static gboolean read_origins(DiffData *diff, guint side, StoreDb *db, GError **error)
{
	g_autoptr(StableNames) names = stable_names_read(db, error);
	g_autoptr(StoreRows) rows =
		names ? store_query_named(db, "diff_origins", NULL, error) : NULL;

	if (diff->paths)
		stack_paths_begin(diff->paths, names);
	while (store_rows_next(rows))
		take_row(diff, side, rows, names);
	return store_rows_done(rows, error);
}

/* ---- by task, or by CPU instead ---- */

/* The figures of one allocation. */
typedef struct {
	guint kind; /* kind + 1; 0: unknown */
	gint64 bytes, waste_bytes;
} TaskOrigin;

/* Sums of a task and kind. */
typedef struct {
	gint64 figures[DIFF_FIGURES];
} TaskSums;

typedef struct {
	GArray *origins;  /* of TaskOrigin, by number */
	GPtrArray *names; /* of tasks, by number; NULL: no such task */
	gint64 page_size, scale;
	TaskSums *sums[SCAN_WORKERS]; /* by task and kind */
} Tasks;

typedef struct {
	const Tasks *tasks;
	TaskSums *sums;
} TaskWorker;

/* Columns of diff_task_names.sql. */
static void take_task_name(StoreRows *rows, gpointer data)
{
	gint64 id = store_rows_int(rows, 0);
	const Tasks *tasks = data;

	if (id < 0 || id > G_MAXINT32 / 2)
		return;
	if (tasks->names->len <= id)
		g_ptr_array_set_size(tasks->names, id + 1);
	g_free(tasks->names->pdata[id]);
	tasks->names->pdata[id] = text_or(rows, 1, "(unknown)");
}

/* Columns of diff_task_origins.sql. */
static void take_task_origin(StoreRows *rows, gpointer data)
{
	guint kind = trace_kind_find(store_rows_text(rows, 1));
	gint64 id = store_rows_int(rows, 0);
	Tasks *tasks = data;

	if (kind >= TRACE_KINDS || id < 0 || id > G_MAXINT32 / 2)
		return;
	if (tasks->origins->len <= id)
		g_array_set_size(tasks->origins, id + 1);
	g_array_index(tasks->origins, TaskOrigin, id) =
		(TaskOrigin){ kind + 1, store_rows_int(rows, 2), store_rows_int(rows, 3) };
	tasks->page_size = store_rows_int(rows, 4);
	tasks->scale = store_rows_int(rows, 5);
}

/* Columns of scan_tasks.sql. */
enum { SCAN_ORIGIN, SCAN_TASK, SCAN_ENDING, SCAN_PARTS };

/* A ScanFunc. */
static void take_allocation(gpointer data, const gint64 *values)
{
	const TaskWorker *worker = data;
	const Tasks *tasks = worker->tasks;
	const TaskOrigin *origin;
	gint64 *figures;

	if (values[SCAN_ORIGIN] < 0 || values[SCAN_ORIGIN] >= tasks->origins->len ||
	    values[SCAN_TASK] < 0 || values[SCAN_TASK] >= tasks->names->len ||
	    lifetime_is_backing(values[SCAN_ENDING]))
		return;
	origin = &g_array_index(tasks->origins, TaskOrigin, values[SCAN_ORIGIN]);
	if (!origin->kind || !tasks->names->pdata[values[SCAN_TASK]])
		return;
	figures = worker->sums[values[SCAN_TASK] * TRACE_KINDS + origin->kind - 1].figures;
	figures[DIFF_ALLOCS]++;
	figures[DIFF_BYTES] += origin->bytes;
	figures[DIFF_WASTE_BYTES] += origin->waste_bytes;
	if (lifetime_state(values[SCAN_ENDING]) != LIFETIME_LIVE)
		return;
	figures[DIFF_LIVE_COUNT]++;
	figures[DIFF_LIVE_BYTES] +=
		origin->bytes - lifetime_pages_freed(values[SCAN_PARTS]) * tasks->page_size;
}

static void add_task(DiffData *diff, guint side, const Tasks *tasks, guint task, guint kind)
{
	double by = divisor(diff, side);
	gint64 figures[DIFF_FIGURES] = { 0 };
	DiffRow *row, *all = &diff->kinds[kind].all;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		for (guint j = 0; j < DIFF_FIGURES; j++)
			figures[j] += tasks->sums[i][task * TRACE_KINDS + kind].figures[j];
	}
	if (!figures[DIFF_ALLOCS])
		return;
	row = find_row(&diff->kinds[kind], g_strdup(tasks->names->pdata[task]));
	row->in[side] = all->in[side] = TRUE;
	for (guint i = 0; i < DIFF_FIGURES; i++) {
		row->figures[side][i] += figures[i] * (double)tasks->scale / by;
		all->figures[side][i] += figures[i] * (double)tasks->scale / by;
	}
}

static gboolean count_tasks(DiffData *diff, guint side, StoreDb *db, Tasks *tasks, GError **error)
{
	gsize count = tasks->names->len * TRACE_KINDS;
	const char *sql = diff->options->by == DIFF_BY_CPU ? "scan_tasks_by_cpu" : "scan_tasks";
	TaskWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		tasks->sums[i] = g_new0(TaskSums, count + 1);
		workers[i] = (TaskWorker){ tasks, tasks->sums[i] };
	}
	fine = store_scan(db, sql, NULL, take_allocation, workers, sizeof(*workers), error);
	for (guint i = 0; fine && i < count; i++)
		add_task(diff, side, tasks, i / TRACE_KINDS, i % TRACE_KINDS);
	for (guint i = 0; i < SCAN_WORKERS; i++)
		g_free(tasks->sums[i]);
	return fine;
}

static gboolean read_tasks(DiffData *diff, guint side, StoreDb *db, GError **error)
{
	g_autoptr(GArray) origins = g_array_new(FALSE, TRUE, sizeof(TaskOrigin));
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	static const char *const by_names[] = { "task", "thread", "cpu" };
	Tasks tasks = { .origins = origins, .names = names };
	const char *params[] = { ":by", by_names[diff->options->by - DIFF_BY_TASK], NULL };

	return store_each(db, "diff_task_names", params, take_task_name, &tasks, error) &&
	       store_each(db, "diff_task_origins", NULL, take_task_origin, &tasks, error) &&
	       count_tasks(diff, side, db, &tasks, error);
}

static gboolean read_side(DiffData *diff, guint side, StoreDb *db, GError **error)
{
	if (!read_head(diff, side, db, error))
		return FALSE;
	return diff->options->by >= DIFF_BY_TASK ? read_tasks(diff, side, db, error)
						 : read_origins(diff, side, db, error);
}

gboolean diffdata_read(DiffData *diff, StoreDb *const dbs[DIFF_SIDES], const DiffOptions *options,
		       GError **error)
{
	gboolean by_stack = options->by == DIFF_BY_STACK;

	*diff = (DiffData){ .options = options, .dbs = dbs };
	diff->paths = by_stack ? stack_paths_new() : NULL;
	for (guint i = 0; i < TRACE_KINDS; i++)
		diff->kinds[i].rows =
			by_stack ? g_hash_table_new_full(seed_number, NULL, NULL, free_row)
				 : g_hash_table_new_full(seed_text, g_str_equal, NULL, free_row);
	for (guint side = 0; side < DIFF_SIDES; side++) {
		if (!read_side(diff, side, dbs[side], error))
			return FALSE;
	}
	return TRUE;
}

void diffdata_clear(DiffData *diff)
{
	for (guint i = 0; i < TRACE_KINDS; i++)
		g_clear_pointer(&diff->kinds[i].rows, g_hash_table_unref);
	for (guint side = 0; side < DIFF_SIDES; side++)
		completeness_clear(&diff->completeness[side]);
	g_clear_pointer(&diff->paths, stack_paths_free);
}

/* ---- sorting ---- */

/* Quotients and their sums are inexact: smaller relative differences count as none. */
#define ROUNDING 1e-9

double diffdata_change(const DiffRow *row, DiffFigure figure)
{
	double a = row->figures[DIFF_A][figure], b = row->figures[DIFF_B][figure];

	return fabs(b - a) < ROUNDING * fmax(a, b) ? 0 : b - a;
}

static gboolean differs(const DiffRow *row)
{
	for (guint i = 0; i < DIFF_FIGURES; i++) {
		if (diffdata_change(row, i) != 0)
			return TRUE;
	}
	return row->in[DIFF_A] != row->in[DIFF_B];
}

static gboolean grew(const DiffRow *row)
{
	return diffdata_change(row, DIFF_LIVE_BYTES) > 0;
}

static int compare_rows(gconstpointer a, gconstpointer b, gpointer paths)
{
	const DiffRow *first = *(const DiffRow *const *)a, *second = *(const DiffRow *const *)b;
	static const DiffFigure keys[] = { DIFF_LIVE_BYTES, DIFF_BYTES, DIFF_ALLOCS };

	if (grew(first) != grew(second))
		return grew(first) ? -1 : 1;
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
		double x = fabs(diffdata_change(first, keys[i]));
		double y = fabs(diffdata_change(second, keys[i]));

		if (x != y)
			return x < y ? 1 : -1;
	}
	if (differs(first) != differs(second))
		return differs(first) ? -1 : 1;
	return paths ? stack_paths_compare(paths, first->path, second->path)
		     : strcmp(first->name, second->name);
}

static void keep_first(GPtrArray *rows, guint from, guint count, guint limit)
{
	if (count > limit)
		g_ptr_array_remove_range(rows, from + limit, count - limit);
}

GPtrArray *diffdata_rows(const DiffData *diff, DiffKind *kind, guint limit)
{
	GPtrArray *sorted = g_ptr_array_new();
	GHashTableIter iter;
	gpointer row;

	kind->only[DIFF_A] = kind->only[DIFF_B] = kind->same = kind->grew = 0;
	g_hash_table_iter_init(&iter, kind->rows);
	while (g_hash_table_iter_next(&iter, NULL, &row)) {
		const DiffRow *one = row;

		for (guint side = 0; side < DIFF_SIDES; side++)
			kind->only[side] += one->in[side] && !one->in[!side];
		kind->same += !differs(one);
		kind->grew += grew(one);
		g_ptr_array_add(sorted, row);
	}
	g_ptr_array_sort_with_data(sorted, compare_rows, diff->paths);
	keep_first(sorted, kind->grew, sorted->len - kind->grew, limit);
	keep_first(sorted, 0, kind->grew, limit);
	return sorted;
}

gboolean diffdata_is_one_sided(const DiffKind *kind)
{
	return kind->untraced[DIFF_A] != kind->untraced[DIFF_B];
}

/* ---- conditions ---- */

#define KIND_MOST TRACE_KINDS /* the kind with the largest change */

#define OF_KINDS(X, name, figure, of_row, unit, help)                                              \
	X(name, figure, KIND_MOST, of_row, unit, help ", of the kind with the largest growth")     \
	X(name "_slab", figure, 0, of_row, unit, help ": slab objects, large kmallocs")            \
	X(name "_page", figure, 1, of_row, unit, help ": pages that back nothing else")            \
	X(name "_percpu", figure, 2, of_row, unit, help ": per-CPU memory, on all CPUs")           \
	X(name "_vmalloc", figure, 3, of_row, unit, help ": addresses of vmalloc space")

#define FIGURES(X)                                                                                 \
	OF_KINDS(X, "grown", DIFF_LIVE_BYTES, FALSE, EXPR_BYTES,                                   \
		 "bytes that B has live at the end, more than A")                                  \
	OF_KINDS(X, "grown_count", DIFF_LIVE_COUNT, FALSE, EXPR_COUNT,                             \
		 "allocations that B has live at the end, more than A")                            \
	OF_KINDS(X, "grown_bytes", DIFF_BYTES, FALSE, EXPR_BYTES,                                  \
		 "bytes that B allocates, more than A")                                            \
	OF_KINDS(X, "grown_allocs", DIFF_ALLOCS, FALSE, EXPR_COUNT,                                \
		 "allocations of B, more than of A")                                               \
	OF_KINDS(X, "grown_waste", DIFF_WASTE_BYTES, FALSE, EXPR_BYTES,                            \
		 "bytes that B wastes by rounding, more than A")                                   \
	OF_KINDS(                                                                                  \
		X, "most_grown", DIFF_LIVE_BYTES, TRUE, EXPR_BYTES,                                \
		"bytes that B has live at the end, more than A, of the call site (or --by) that grew most")

#define NAME(name, figure, kind, of_row, unit, help)    { name, unit, FALSE, help },
#define MEANING(name, figure, kind, of_row, unit, help) { figure, kind, of_row },

static const ExprName names[] = { FIGURES(NAME) };
static const struct {
	DiffFigure figure;
	guint kind;
	gboolean of_row; /* of a single row, not of the whole kind */
} meanings[] = { FIGURES(MEANING) };

const ExprName *diff_figures(guint *count)
{
	*count = G_N_ELEMENTS(names);
	return names;
}

/* Returns 0 if nothing grew. */
static double most_grown(const DiffKind *kind, DiffFigure figure)
{
	double most = 0;
	GHashTableIter iter;
	gpointer row;

	g_hash_table_iter_init(&iter, kind->rows);
	while (g_hash_table_iter_next(&iter, NULL, &row))
		most = fmax(most, diffdata_change(row, figure));
	return most;
}

gboolean diffdata_figure(gpointer data, const ExprFigure *figure, double *value, GError **error)
{
	const DiffData *diff = data;
	guint which = figure->name - names;

	(void)error;
	*value = NAN;
	for (guint i = 0; i < TRACE_KINDS; i++) {
		const DiffKind *kind = &diff->kinds[i];

		if ((meanings[which].kind == i || meanings[which].kind == KIND_MOST) &&
		    !kind->untraced[DIFF_A] && !kind->untraced[DIFF_B])
			*value = fmax(*value, meanings[which].of_row
						      ? most_grown(kind, meanings[which].figure)
						      : diffdata_change(&kind->all,
									meanings[which].figure));
	}
	return TRUE;
}
