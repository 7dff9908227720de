// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each trace gives its figures by origin, and an origin's name is looked up once: so a comparison
 * costs the same for traces of any length. Totals don't have the task: by task every allocation is
 * read, by two threads, and added up here, as SQLite would sort them all.
 */
#include "report/diff.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/visible.h"
#include "report/made.h"
#include "report/names.h"
#include "report/object.h"
#include "report/trust.h"
#include "store/scan.h"

#define TRUST_INDENT	3	/* spaces, below the name of a side */
#define LIMITS_INDENT	5	/* below its trust */

enum { A, B, SIDES };

typedef enum { ALLOCS, BYTES, LIVE_COUNT, LIVE_BYTES, WASTE_BYTES, FIGURES } Figure;

static const char *const figure_names[FIGURES] = {
	"allocs", "bytes", "live_count", "live_bytes", "waste_bytes",
};

/* Columns of diff_origins.sql. */
enum { KIND, ORIGIN, CALLER, STACK, CACHE, FIRST_FIGURE };

static const char *const by_names[] = { "site", "stack", "cache", "module", "task", NULL };
static const char *const per_names[] = { "total", "second", "event", NULL };
static const char *const kinds[] = { "slab", "page", "percpu", "vmalloc" };

typedef struct {
	const char *name;		/* the key in Kind.rows; "": all of a kind */
	gboolean in[SIDES];
	double figures[SIDES][FIGURES];	/* divided, as asked */
} Row;

typedef struct {
	GHashTable *rows;		/* name to Row */
	Row all;
	guint only[SIDES];		/* rows that one trace alone has */
	gboolean untraced[SIDES];	/* a trace that has none can't tell that there was none */
} Kind;

typedef struct {
	const DiffOptions *options;
	FILE *out;
	StoreDb *const *dbs;		/* of the sides */
	Kind kinds[G_N_ELEMENTS(kinds)];
	Trust trust[SIDES];
	gint64 span_ns[SIDES], events[SIDES], sample[SIDES];
} Diff;

static gboolean parse_word(const char *word, const char *const *words, guint *which)
{
	for (*which = 0; words[*which]; (*which)++) {
		if (!strcmp(word, words[*which]))
			return TRUE;
	}
	return FALSE;
}

gboolean diff_parse_by(const char *word, DiffBy *by)
{
	guint which;
	gboolean known = parse_word(word, by_names, &which);

	*by = which;
	return known;
}

gboolean diff_parse_per(const char *word, DiffPer *per)
{
	guint which;
	gboolean known = parse_word(word, per_names, &which);

	*per = which;
	return known;
}

/* ---- read ---- */

static gboolean fail(const char *name, const char *why, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "%s %s", name, why);
	return FALSE;
}

/* @names: of groups, with blanks between them. */
static void take_untraced(Diff *diff, guint side, const char *names)
{
	g_auto(GStrv) words = g_strsplit(names, " ", -1);

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		diff->kinds[i].untraced[side] =
			g_strv_contains((const char *const *)words, kinds[i]);
}

static gboolean read_head(Diff *diff, guint side, StoreDb *db, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "diff_trace", NULL, error);
	const char *name = diff->options->names[side];

	if (!rows || !trust_read(db, &diff->trust[side], error) || !store_rows_next(rows, error))
		return FALSE;
	diff->span_ns[side] = store_rows_int(rows, 0);
	diff->events[side] = store_rows_int(rows, 1);
	diff->sample[side] = store_rows_int(rows, 2);
	take_untraced(diff, side, store_rows_text(rows, 3));
	if (diff->options->per == DIFF_PER_SECOND && diff->span_ns[side] <= 0)
		return fail(name, "took no time: there is nothing per second", error);
	if (diff->options->per == DIFF_PER_EVENT && diff->events[side] <= 0)
		return fail(name, "has no event: there is nothing per event", error);
	return TRUE;
}

/* Events are a sample, too, where allocations are. */
static double divisor(const Diff *diff, guint side)
{
	switch (diff->options->per) {
	case DIFF_PER_SECOND:
		return diff->span_ns[side] / 1e9;
	case DIFF_PER_EVENT:
		return (double)diff->events[side] * diff->sample[side];
	default:
		return 1;
	}
}

static char *text_or(StoreRows *rows, int column, const char *otherwise)
{
	return g_strdup(store_rows_type(rows, column) == STORE_NULL
				? otherwise
				: store_rows_text(rows, column));
}

/* What an origin is counted under. */
static char *name_of(const Diff *diff, const Names *names, StoreRows *rows)
{
	switch (diff->options->by) {
	case DIFF_BY_STACK:
		return names_stack(names, store_rows_int(rows, STACK));
	case DIFF_BY_CACHE:
		return text_or(rows, CACHE, "(no cache)");
	case DIFF_BY_MODULE:
		return g_strdup(names_module(names, store_rows_int(rows, CALLER)));
	default:
		return g_strdup(names_function(names, store_rows_int(rows, CALLER)));
	}
}

static Kind *find_kind(Diff *diff, const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (!strcmp(name, kinds[i]))
			return &diff->kinds[i];
	}
	return NULL;
}

/* Takes @name. */
static Row *find_row(Kind *kind, char *name)
{
	Row *row = g_hash_table_lookup(kind->rows, name);

	if (row) {
		g_free(name);
		return row;
	}
	row = g_new0(Row, 1);
	row->name = name;
	g_hash_table_insert(kind->rows, name, row);
	return row;
}

/* A TakeRow of diff_origins.sql. */
static void take_row(Diff *diff, guint side, StoreRows *rows, gpointer names)
{
	Kind *kind = find_kind(diff, store_rows_text(rows, KIND));
	double by = divisor(diff, side);
	Row *row;

	if (!kind)
		return;
	row = find_row(kind, name_of(diff, names, rows));
	row->in[side] = kind->all.in[side] = TRUE;
	for (guint i = 0; i < FIGURES; i++) {
		row->figures[side][i] += store_rows_double(rows, FIRST_FIGURE + i) / by;
		kind->all.figures[side][i] += store_rows_double(rows, FIRST_FIGURE + i) / by;
	}
}

typedef void (*TakeRow)(Diff *diff, guint side, StoreRows *rows, gpointer data);

static gboolean each_row(Diff *diff, guint side, StoreDb *db, const char *query, TakeRow take,
			 gpointer data, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, query, NULL, error);
	g_autoptr(GError) local = NULL;

	if (!rows)
		return FALSE;
	while (store_rows_next(rows, &local))
		take(diff, side, rows, data);
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

/* ---- by task ---- */

/* What one allocation adds. */
typedef struct {
	guint kind;		/* one more than it is; 0: none that is known */
	gint64 bytes, waste_bytes;
} TaskOrigin;

/* Of a task and kind. */
typedef struct {
	gint64 figures[FIGURES];
} TaskSums;

typedef struct {
	GArray *origins;	/* of TaskOrigin, by number */
	GPtrArray *names;	/* of tasks, by number; NULL: no such task */
	gint64 page_size, scale;
	TaskSums *sums[SCAN_WORKERS];	/* by task, of kind after kind */
} Tasks;

typedef struct {
	const Tasks *tasks;
	TaskSums *sums;
} TaskWorker;

/* A TakeRow of diff_task_names.sql. */
static void take_task_name(Diff *diff, guint side, StoreRows *rows, gpointer data)
{
	gint64 id = store_rows_int(rows, 0);
	Tasks *tasks = data;

	(void)diff;
	(void)side;
	if (id < 0 || id > G_MAXINT32 / 2)
		return;
	if (tasks->names->len <= id)
		g_ptr_array_set_size(tasks->names, id + 1);
	g_free(tasks->names->pdata[id]);
	tasks->names->pdata[id] = text_or(rows, 1, "(unknown)");
}

/* A TakeRow of diff_task_origins.sql. */
static void take_task_origin(Diff *diff, guint side, StoreRows *rows, gpointer data)
{
	const Kind *kind = find_kind(diff, store_rows_text(rows, 1));
	gint64 id = store_rows_int(rows, 0);
	Tasks *tasks = data;

	(void)side;
	if (!kind || id < 0 || id > G_MAXINT32 / 2)
		return;
	if (tasks->origins->len <= id)
		g_array_set_size(tasks->origins, id + 1);
	g_array_index(tasks->origins, TaskOrigin, id) =
		(TaskOrigin){ kind - diff->kinds + 1, store_rows_int(rows, 2),
			      store_rows_int(rows, 3) };
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
	    values[SCAN_ENDING] & 24)
		return;
	origin = &g_array_index(tasks->origins, TaskOrigin, values[SCAN_ORIGIN]);
	if (!origin->kind || !tasks->names->pdata[values[SCAN_TASK]])
		return;
	figures = worker->sums[values[SCAN_TASK] * G_N_ELEMENTS(kinds) + origin->kind - 1].figures;
	figures[ALLOCS]++;
	figures[BYTES] += origin->bytes;
	figures[WASTE_BYTES] += origin->waste_bytes;
	if (values[SCAN_ENDING] & 7)
		return;
	figures[LIVE_COUNT]++;
	figures[LIVE_BYTES] += origin->bytes - (values[SCAN_PARTS] >> 24) * tasks->page_size;
}

static void add_task(Diff *diff, guint side, const Tasks *tasks, guint task, guint kind)
{
	double by = divisor(diff, side);
	gint64 figures[FIGURES] = { 0 };
	Row *row, *all = &diff->kinds[kind].all;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		for (guint j = 0; j < FIGURES; j++)
			figures[j] += tasks->sums[i][task * G_N_ELEMENTS(kinds) + kind].figures[j];
	}
	if (!figures[ALLOCS])
		return;
	row = find_row(&diff->kinds[kind], g_strdup(tasks->names->pdata[task]));
	row->in[side] = all->in[side] = TRUE;
	for (guint i = 0; i < FIGURES; i++) {
		row->figures[side][i] += figures[i] * (double)tasks->scale / by;
		all->figures[side][i] += figures[i] * (double)tasks->scale / by;
	}
}

static gboolean count_tasks(Diff *diff, guint side, StoreDb *db, Tasks *tasks, GError **error)
{
	gsize count = tasks->names->len * G_N_ELEMENTS(kinds);
	TaskWorker workers[SCAN_WORKERS];
	gpointer data[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		tasks->sums[i] = g_new0(TaskSums, count + 1);
		workers[i] = (TaskWorker){ tasks, tasks->sums[i] };
		data[i] = &workers[i];
	}
	fine = store_scan(db, "scan_tasks", NULL, take_allocation, data, error);
	for (guint i = 0; fine && i < count; i++)
		add_task(diff, side, tasks, i / G_N_ELEMENTS(kinds), i % G_N_ELEMENTS(kinds));
	for (guint i = 0; i < SCAN_WORKERS; i++)
		g_free(tasks->sums[i]);
	return fine;
}

static gboolean read_tasks(Diff *diff, guint side, StoreDb *db, GError **error)
{
	g_autoptr(GArray) origins = g_array_new(FALSE, TRUE, sizeof(TaskOrigin));
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	Tasks tasks = { .origins = origins, .names = names };

	return each_row(diff, side, db, "diff_task_names", take_task_name, &tasks, error) &&
	       each_row(diff, side, db, "diff_task_origins", take_task_origin, &tasks, error) &&
	       count_tasks(diff, side, db, &tasks, error);
}

static gboolean read_side(Diff *diff, guint side, StoreDb *db, GError **error)
{
	g_autoptr(Names) names = NULL;

	if (!read_head(diff, side, db, error))
		return FALSE;
	if (diff->options->by == DIFF_BY_TASK)
		return read_tasks(diff, side, db, error);
	names = names_read(db, error);
	return names && each_row(diff, side, db, "diff_origins", take_row, names, error);
}

/* ---- order ---- */

static double change(const Row *row, Figure figure)
{
	return row->figures[B][figure] - row->figures[A][figure];
}

/* What changed most first, whichever way: in live bytes, then in bytes. */
static int compare_rows(gconstpointer a, gconstpointer b)
{
	const Row *first = *(const Row *const *)a, *second = *(const Row *const *)b;
	static const Figure keys[] = { LIVE_BYTES, BYTES, ALLOCS };

	for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
		double x = fabs(change(first, keys[i])), y = fabs(change(second, keys[i]));

		if (x != y)
			return x < y ? 1 : -1;
	}
	return strcmp(first->name, second->name);
}

static GPtrArray *sort_rows(Kind *kind)
{
	GPtrArray *sorted = g_ptr_array_new();
	GHashTableIter iter;
	gpointer row;

	kind->only[A] = kind->only[B] = 0;
	g_hash_table_iter_init(&iter, kind->rows);
	while (g_hash_table_iter_next(&iter, NULL, &row)) {
		const Row *one = row;

		for (guint side = 0; side < SIDES; side++)
			kind->only[side] += one->in[side] && !one->in[!side];
		g_ptr_array_add(sorted, row);
	}
	g_ptr_array_sort(sorted, compare_rows);
	return sorted;
}

/* Whether one trace alone could have rows: then nothing can be said of what changed. */
static gboolean is_one_sided(const Kind *kind)
{
	return kind->untraced[A] != kind->untraced[B];
}

/* ---- text ---- */

static char *format_figure(const Diff *diff, Figure figure, double value, gboolean is_change)
{
	gboolean bytes = figure == BYTES || figure == LIVE_BYTES || figure == WASTE_BYTES;
	const char *sign = is_change && value > 0 ? "+" : "";
	g_autofree char *text = NULL;

	if (diff->options->per != DIFF_PER_TOTAL && fabs(value) < 100)
		return value == 0 ? g_strdup("0") : g_strdup_printf("%s%.3g", sign, value);
	text = bytes ? units_format_size(llround(value)) : units_format_count(llround(value));
	return g_strconcat(sign, text, NULL);
}

static void print_row(const Diff *diff, const Row *row, const char *name)
{
	static const Figure order[] = { LIVE_BYTES, LIVE_COUNT, ALLOCS, BYTES, WASTE_BYTES };
	g_autofree char *shown = visible_text(name);

	for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
		g_autofree char *now =
			format_figure(diff, order[i], row->figures[B][order[i]], FALSE);
		g_autofree char *more = format_figure(diff, order[i], change(row, order[i]), TRUE);

		fprintf(diff->out, "%10s %10s  ", now, more);
	}
	fputs(shown, diff->out);
	if (row->in[A] != row->in[B])
		fprintf(diff->out, "  (only in %s)", row->in[A] ? "A" : "B");
	fputc('\n', diff->out);
}

/* A stack has a line for each frame, below the figures and its innermost function. */
static void print_named_row(const Diff *diff, const Row *row)
{
	g_auto(GStrv) frames = NULL;

	if (diff->options->by != DIFF_BY_STACK) {
		print_row(diff, row, row->name);
		return;
	}
	frames = g_strsplit(row->name, " < ", -1);
	print_row(diff, row, "");
	for (guint i = 0; frames[i]; i++)
		fprintf(diff->out, "    %s\n", frames[i]);
}

static void print_kind(const Diff *diff, Kind *kind, const char *name)
{
	static const char *const per[] = { "", ", per second of each", ", per event of each" };
	static const char *const titles[] = { "live bytes", "live", "allocs", "bytes", "waste" };
	g_autoptr(GPtrArray) rows = sort_rows(kind);

	if (is_one_sided(kind)) {
		fprintf(diff->out, "\n%s: not traced in %s, so not compared\n", name,
			kind->untraced[A] ? "A" : "B");
		return;
	}
	if (!rows->len)
		return;
	fprintf(diff->out, "\n%s, by %s%s: %u in both, %u only in A, %u only in B\n", name,
		by_names[diff->options->by], per[diff->options->per],
		rows->len - kind->only[A] - kind->only[B], kind->only[A], kind->only[B]);
	for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
		fprintf(diff->out, "%10s %10s  ", titles[i], "change");
	fprintf(diff->out, "%s\n", by_names[diff->options->by]);
	print_row(diff, &kind->all, "all");
	for (guint i = 0; i < rows->len && i < (guint)diff->options->limit; i++)
		print_named_row(diff, g_ptr_array_index(rows, i));
	if (rows->len > (guint)diff->options->limit)
		fprintf(diff->out, "(%u more: -n shows them)\n", rows->len - diff->options->limit);
}

static gboolean print_side(Diff *diff, guint side, GError **error)
{
	g_autofree char *events = units_format_count(diff->events[side]);
	g_autofree char *span = units_format_time(diff->span_ns[side]);

	fprintf(diff->out, "%c: %s: %s events in %s\n", "AB"[side], diff->options->names[side], events,
		span);
	trust_print(&diff->trust[side], TRUST_INDENT, diff->out);
	return made_print_limits(diff->dbs[side], LIMITS_INDENT, diff->out, error);
}

static gboolean print_text(Diff *diff, GError **error)
{
	for (guint side = 0; side < SIDES; side++) {
		if (!print_side(diff, side, error))
			return FALSE;
	}
	fputs("Figures are those of B; change is B less A. Kinds are accounts of their own, never to be added up\n",
	      diff->out);
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		print_kind(diff, &diff->kinds[i], kinds[i]);
	return TRUE;
}

/* ---- JSON ---- */

/* The library makes no JSON of "1e-08": nothing is that small if it has seven places. */
static void add_figure(JsonBuilder *json, const Diff *diff, const char *name, double value)
{
	if (diff->options->per == DIFF_PER_TOTAL) {
		object_add_int(json, name, llround(value));
		return;
	}
	json_builder_set_member_name(json, name);
	json_builder_add_double_value(json, round(value * 1e7) / 1e7);
}

/* The figures of a side; null where it has none; SIDES: what changed. */
static void add_figures(JsonBuilder *json, const Diff *diff, const Row *row, guint side)
{
	static const char *const names[] = { "a", "b", "change" };

	json_builder_set_member_name(json, names[side]);
	if (side < SIDES && !row->in[side]) {
		json_builder_add_null_value(json);
		return;
	}
	json_builder_begin_object(json);
	for (guint i = 0; i < FIGURES; i++)
		add_figure(json, diff, figure_names[i],
			   side == SIDES ? change(row, i) : row->figures[side][i]);
	json_builder_end_object(json);
}

static void add_row(JsonBuilder *json, const Diff *diff, const Row *row)
{
	for (guint side = 0; side <= SIDES; side++)
		add_figures(json, diff, row, side);
}

static void add_rows(JsonBuilder *json, const Diff *diff, const GPtrArray *rows)
{
	json_builder_set_member_name(json, "rows");
	json_builder_begin_array(json);
	for (guint i = 0; i < rows->len && i < (guint)diff->options->limit; i++) {
		const Row *row = g_ptr_array_index(rows, i);

		json_builder_begin_object(json);
		object_add_text(json, by_names[diff->options->by], row->name);
		add_row(json, diff, row);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

static void add_kind(JsonBuilder *json, const Diff *diff, Kind *kind, const char *name)
{
	g_autoptr(GPtrArray) rows = sort_rows(kind);

	if (!is_one_sided(kind) && !rows->len)
		return;
	json_builder_set_member_name(json, name);
	json_builder_begin_object(json);
	if (is_one_sided(kind)) {
		object_add_text(json, "not_traced", kind->untraced[A] ? "a" : "b");
		json_builder_end_object(json);
		return;
	}
	object_add_int(json, "both", rows->len - kind->only[A] - kind->only[B]);
	object_add_int(json, "only_a", kind->only[A]);
	object_add_int(json, "only_b", kind->only[B]);
	json_builder_set_member_name(json, "all");
	json_builder_begin_object(json);
	add_row(json, diff, &kind->all);
	json_builder_end_object(json);
	add_rows(json, diff, rows);
	json_builder_end_object(json);
}

static gboolean add_side(JsonBuilder *json, const Diff *diff, guint side, GError **error)
{
	static const char *const sides[] = { "a", "b" };
	g_autoptr(StoreRows) trust = store_query_named(diff->dbs[side], "trust", NULL, error);

	if (!trust)
		return FALSE;
	json_builder_set_member_name(json, sides[side]);
	json_builder_begin_object(json);
	object_add_text(json, "name", diff->options->names[side]);
	if (!object_add_rows(json, "trust", trust, error))
		return FALSE;
	object_add_int(json, "span_ns", diff->span_ns[side]);
	object_add_int(json, "events", diff->events[side]);
	object_add_int(json, "sample", diff->sample[side]);
	json_builder_end_object(json);
	return TRUE;
}

static gboolean print_json(Diff *diff, GError **error)
{
	g_autoptr(JsonBuilder) json = json_builder_new();

	json_builder_begin_object(json);
	for (guint side = 0; side < SIDES; side++) {
		if (!add_side(json, diff, side, error))
			return FALSE;
	}
	object_add_text(json, "by", by_names[diff->options->by]);
	object_add_text(json, "per", per_names[diff->options->per]);
	json_builder_set_member_name(json, "kinds");
	json_builder_begin_object(json);
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		add_kind(json, diff, &diff->kinds[i], kinds[i]);
	json_builder_end_object(json);
	json_builder_end_object(json);
	object_print(json, diff->out);
	fputc('\n', diff->out);
	return TRUE;
}

static void diff_clear(Diff *diff)
{
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		g_hash_table_unref(diff->kinds[i].rows);
	for (guint side = 0; side < SIDES; side++)
		trust_clear(&diff->trust[side]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Diff, diff_clear)

gboolean diff_print(StoreDb *const dbs[2], const DiffOptions *options, FILE *out,
		    gboolean *incomplete, GError **error)
{
	g_auto(Diff) diff = { .options = options, .out = out, .dbs = dbs };

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		diff.kinds[i].rows =
			g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (guint side = 0; side < SIDES; side++) {
		if (!read_side(&diff, side, dbs[side], error))
			return FALSE;
	}
	if (!(options->json ? print_json(&diff, error) : print_text(&diff, error)))
		return FALSE;
	*incomplete = trust_is_incomplete(&diff.trust[A]) || trust_is_incomplete(&diff.trust[B]);
	return TRUE;
}
