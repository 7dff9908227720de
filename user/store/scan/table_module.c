// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module_lives(origins, exits, loads): sums of a module's allocations, by when they were allocated
 * and freed.
 *
 * @origins: pairs of an origin and its MODULE_ bits; @exits: pairs of an origin of frees and
 * MODULE_EXIT or MODULE_TAIL; @loads: the times when it was loaded, when the next module was, when
 * it was unloaded, and when the last other module was before that, or the lowest number for never.
 */
#include "base/compare.h"
#include "base/sorted.h"
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

/*
 * Bits of an origin: requested; by the module's own code; by an init function; certainly its own.
 * Of frees: by its exit function; by a tail call of some module's exit function.
 */
enum {
	MODULE_ASKED = 1,
	MODULE_OWN = 2,
	MODULE_INIT = 4,
	MODULE_NAMED = 8,
	MODULE_EXIT = 16,
	MODULE_TAIL = 32,
};

/* Bits of a lifetime, and the number of combinations. */
enum { AT_INIT = 1, IS_LEFT = 2, AT_EXIT = 4, WAYS = 8 };

/* Columns of scan_module.sql. */
enum { ORIGIN, TIME, LIFETIME, FREE_ORIGIN, ENDING, PARTS };

/* Times as of unsigned_ns(). */
typedef struct {
	guint64 from_ns, to_ns, unload_ns, other_unload_ns;
} Load;

#define LOAD_WORDS (sizeof(Load) / sizeof(guint64))

typedef struct {
	gint64 count, pages; /* pages: freed ones of remaining blocks */
} Sum;

typedef struct {
	GArray *bits;      /* of guint8, by origin */
	GArray *sums;      /* of Sum, WAYS for each origin */
	GArray *by_load;   /* of Load; to_ns is the highest so far */
	GArray *by_unload; /* of Load */
} ModuleWorker;

/* Returns the time as an unsigned number, in the same order. */
static guint64 unsigned_ns(gint64 ns)
{
	return (guint64)ns ^ G_GUINT64_CONSTANT(1) << 63;
}

static gint compare_loads(gconstpointer a, gconstpointer b)
{
	const Load *x = a, *y = b;

	return COMPARE(x->from_ns, y->from_ns) ?: COMPARE(x->unload_ns, y->unload_ns);
}

static gint compare_unloads(gconstpointer a, gconstpointer b)
{
	const Load *x = a, *y = b;

	return COMPARE(x->unload_ns, y->unload_ns) ?: COMPARE(x->from_ns, y->from_ns);
}

static GArray *sorted_loads(const GArray *words, GCompareFunc compare)
{
	GArray *loads = g_array_new(FALSE, FALSE, sizeof(Load));
	const gint64 *ns = (const gint64 *)words->data;

	for (guint i = 0; i + LOAD_WORDS <= words->len; i += LOAD_WORDS) {
		const Load load = { unsigned_ns(ns[i]), unsigned_ns(ns[i + 1]),
				    unsigned_ns(ns[i + 2]), unsigned_ns(ns[i + 3]) };

		g_array_append_val(loads, load);
	}
	g_array_sort(loads, compare);
	return loads;
}

static void raise_ends(GArray *loads)
{
	for (guint i = 1; i < loads->len; i++) {
		Load *load = &g_array_index(loads, Load, i);

		load->to_ns = MAX(load->to_ns, load[-1].to_ns);
	}
}

static void add_bits(ModuleWorker *worker, guint64 origin, guint8 bits)
{
	if (origin >= TABLE_ORIGINS_MAX)
		return;
	if (worker->bits->len <= origin) {
		g_array_set_size(worker->bits, origin + 1);
		g_array_set_size(worker->sums, (origin + 1) * WAYS);
	}
	g_array_index(worker->bits, guint8, origin) |= bits;
}

static gpointer make(GArray *const *arguments)
{
	const gint64 *origins = (const gint64 *)arguments[0]->data;
	const gint64 *exits = (const gint64 *)arguments[1]->data;
	ModuleWorker *worker = g_new(ModuleWorker, 1);

	worker->bits = g_array_new(FALSE, TRUE, sizeof(guint8));
	worker->sums = g_array_new(FALSE, TRUE, sizeof(Sum));
	worker->by_load = sorted_loads(arguments[2], compare_loads);
	worker->by_unload = sorted_loads(arguments[2], compare_unloads);
	raise_ends(worker->by_load);
	for (guint i = 0; i + 1 < arguments[0]->len; i += 2)
		add_bits(worker, origins[i], origins[i + 1] | MODULE_ASKED);
	for (guint i = 0; i + 1 < arguments[1]->len; i += 2)
		add_bits(worker, exits[i], exits[i + 1]);
	return worker;
}

/* Returns the last load that began by @ns; NULL: none. */
static const Load *load_before(const ModuleWorker *worker, guint64 ns)
{
	guint begun = SORTED_COUNT(worker->by_load, Load, from_ns, ns);

	return begun ? &g_array_index(worker->by_load, Load, begun - 1) : NULL;
}

/* Returns whether it was allocated between a load and the next one. */
static gboolean is_of_load(const ModuleWorker *worker, const gint64 *values)
{
	guint64 ns = unsigned_ns(values[TIME]);
	const Load *load = load_before(worker, ns);

	return load && ns < load->to_ns;
}

/* Returns whether it was live when the module was unloaded, and freed then or later. */
static gboolean is_of_unload(const ModuleWorker *worker, const gint64 *values)
{
	guint64 ns = unsigned_ns(values[TIME]);
	const Load *load = values[LIFETIME] == SCAN_NULL ? NULL : load_before(worker, ns);

	return load && ns <= load->unload_ns &&
	       unsigned_ns(values[TIME] + values[LIFETIME]) >= load->unload_ns;
}

/*
 * Returns whether it was freed while the exit function ran, or just before: no other module was
 * unloaded since.
 */
static gboolean is_of_exit(const ModuleWorker *worker, const gint64 *values)
{
	const GArray *unloads = worker->by_unload;
	guint64 free_ns;
	guint before;

	if (values[LIFETIME] == SCAN_NULL)
		return FALSE;
	free_ns = unsigned_ns(values[TIME] + values[LIFETIME]);
	before = free_ns ? SORTED_COUNT(unloads, Load, unload_ns, free_ns - 1) : 0;
	return before < unloads->len &&
	       g_array_index(unloads, Load, before).other_unload_ns < free_ns;
}

static guint bits_of(const ModuleWorker *worker, gint64 origin)
{
	return origin >= 0 && origin < worker->bits->len
		       ? g_array_index(worker->bits, guint8, origin)
		       : 0;
}

static void take(gpointer data, const gint64 *values)
{
	const ModuleWorker *worker = data;
	guint bits = bits_of(worker, values[ORIGIN]), way = 0;
	guint free_bits = bits_of(worker, values[FREE_ORIGIN]);
	gboolean left = lifetime_state(values[ENDING]) == LIFETIME_LIVE;
	Sum *sum;

	if (!(bits & MODULE_ASKED) || lifetime_is_backing(values[ENDING]))
		return;
	if (bits & MODULE_INIT && (bits & MODULE_NAMED || is_of_load(worker, values)))
		way |= AT_INIT;
	if (left)
		way |= IS_LEFT;
	else if (free_bits & MODULE_EXIT || is_of_unload(worker, values) ||
		 (free_bits & MODULE_TAIL && is_of_exit(worker, values)))
		way |= AT_EXIT;
	sum = &g_array_index(worker->sums, Sum, values[ORIGIN] * WAYS + way);
	sum->count++;
	sum->pages += left ? lifetime_pages_freed(values[PARTS]) : 0;
}

static void free_worker(gpointer data)
{
	ModuleWorker *worker = data;

	g_array_unref(worker->bits);
	g_array_unref(worker->sums);
	g_array_unref(worker->by_load);
	g_array_unref(worker->by_unload);
	g_free(worker);
}

static void finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	const ModuleWorker *first = workers[0];

	for (guint i = 0; i < first->sums->len; i++) {
		guint origin = i / WAYS, way = i % WAYS;
		Sum sum = { 0 };

		for (guint w = 0; w < SCAN_WORKERS; w++) {
			const ModuleWorker *worker = workers[w];

			sum.count += g_array_index(worker->sums, Sum, i).count;
			sum.pages += g_array_index(worker->sums, Sum, i).pages;
		}
		if (!sum.count)
			continue;
		g_array_append_vals(
			values,
			((const gint64[]){ origin, !!(bits_of(first, origin) & MODULE_OWN),
					   !!(way & AT_INIT), !!(way & IS_LEFT), !!(way & AT_EXIT),
					   sum.count, sum.pages }),
			7);
	}
}

const TableFunction table_module_lives = {
	.name = "module_lives",
	.columns = "origin, own, at_init, is_left, at_exit, count, pages_freed",
	.count = 7,
	.arguments = 3,
	.scan = "scan_module",
	.make = make,
	.take = take,
	.free = free_worker,
	.finish = finish,
};
