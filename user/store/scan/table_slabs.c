// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slab_contents(slabs, origins, units) and slab_holders(…): the contents of slabs at the end, by
 * slab, and by slab and origin.
 *
 * @slabs: triples of a number, a page frame and an order; @origins: triples of an origin of slab
 * objects, its bytes and its cache; @units: the address of frame 0, and the bytes of a page.
 */
#include "analysis/containers/intern.h"
#include "analysis/containers/tally.h"
#include "store/scan/asked_origin.h"
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

#define ORDERS 32

/* Columns of scan_left.sql. */
enum { ORIGIN, ADDR, TIME, ENDING };

/* Values of an origin. */
enum { BYTES, CACHE };

/* Contents of a slab. */
typedef struct {
	gint64 id, objects, bytes, cache, size;
} Contents;

typedef struct {
	GArray *contents; /* of Contents, by index in the argument */
	Intern *slabs;    /* of frame << 5 | order: to its index + 1 */
	GArray *origins;  /* of AskedOrigin */
	guint32 orders;   /* bitmap of existing orders */
	gint64 base, page_size;
	Tally *holders; /* by index << 32 | origin; NULL: not requested */
} SlabsWorker;

static void add_slabs(SlabsWorker *worker, const GArray *argument)
{
	const gint64 *numbers = (const gint64 *)argument->data;

	for (guint i = 0; i + 2 < argument->len; i += 3) {
		const Contents contents = { .id = numbers[i], .cache = SCAN_NULL };
		guint64 order = numbers[i + 2];
		gint64 key = numbers[i + 1] * ORDERS + (gint64)order;
		gboolean added = FALSE;

		if (order < ORDERS)
			intern_add(worker->slabs, &key, &added);
		if (!added)
			continue;
		g_array_append_val(worker->contents, contents);
		worker->orders |= 1U << order;
	}
}

static gpointer contents_make(GArray *const *arguments)
{
	SlabsWorker *worker = g_new0(SlabsWorker, 1);

	worker->contents = g_array_new(FALSE, FALSE, sizeof(Contents));
	worker->slabs = intern_new(sizeof(gint64));
	add_slabs(worker, arguments[0]);
	worker->origins = asked_origin_read(arguments[1]);
	if (arguments[2]->len > 1) {
		worker->base = g_array_index(arguments[2], gint64, 0);
		worker->page_size = g_array_index(arguments[2], gint64, 1);
	}
	return worker;
}

static void free_worker(gpointer data)
{
	SlabsWorker *worker = data;

	g_array_unref(worker->contents);
	intern_free(worker->slabs);
	g_array_unref(worker->origins);
	tally_free(worker->holders);
	g_free(worker);
}

/* Called for an object in the slab with an index in the argument. */
typedef void (*TakeObject)(SlabsWorker *worker, guint place, const AskedOrigin *origin,
			   const gint64 *values);

/* A slab is aligned to its size. */
static void take_object(SlabsWorker *worker, const gint64 *values, TakeObject take)
{
	const AskedOrigin *origin = asked_origin_find(worker->origins, values[ORIGIN]);
	gint64 addr = (gint64)lifetime_addr(worker->base, values[ADDR], values[ENDING]);

	if (!origin || addr < worker->base || worker->page_size <= 0)
		return;
	for (gint64 order = 0; order < ORDERS; order++) {
		gint64 frame = (gint64)((guint64)addr - (guint64)worker->base) / worker->page_size;
		gint64 key = (frame >> order << order) * ORDERS + order;
		guint place;

		if (!(worker->orders >> order & 1))
			continue;
		place = intern_find(worker->slabs, &key);
		if (place)
			take(worker, place - 1, origin, values);
	}
}

/* ---- slab_contents ---- */

static void add_contents(Contents *to, const Contents *from)
{
	to->objects += from->objects;
	to->bytes += from->bytes;
	to->cache = MAX(to->cache, from->cache);
	to->size = MAX(to->size, from->size);
}

static void count_object(SlabsWorker *worker, guint place, const AskedOrigin *origin,
			 const gint64 *values)
{
	const Contents one = { 0, 1, origin->values[BYTES], origin->values[CACHE],
			       origin->values[BYTES] };

	(void)values;
	add_contents(&g_array_index(worker->contents, Contents, place), &one);
}

static void contents_take(gpointer data, const gint64 *values)
{
	take_object(data, values, count_object);
}

static void contents_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	const SlabsWorker *first = workers[0];

	for (guint i = 0; i < first->contents->len; i++) {
		Contents *all = &g_array_index(first->contents, Contents, i);

		for (guint w = 1; w < SCAN_WORKERS; w++) {
			const SlabsWorker *worker = workers[w];

			add_contents(all, &g_array_index(worker->contents, Contents, i));
		}
		g_array_append_vals(values,
				    ((const gint64[]){ all->id, all->objects, all->bytes,
						       all->cache, all->size }),
				    5);
	}
}

const TableFunction table_slab_contents = {
	.name = "slab_contents",
	.columns = "slab, objects, object_bytes, cache, object_size",
	.count = 5,
	.arguments = 3,
	.scan = "scan_left",
	.make = contents_make,
	.take = contents_take,
	.free = free_worker,
	.finish = contents_finish,
};

/* ---- slab_holders ---- */

/* Times are summed in two parts: thousands of times of months exceed 64 bits. */
enum { OBJECTS, HIGH_TIMES, LOW_TIMES, FIRST_TIME };

#define LOW_TIME_BITS 31
#define LOW_TIME_MASK ((G_GINT64_CONSTANT(1) << LOW_TIME_BITS) - 1)

static void add_holder(gint64 *sums, const gint64 *more)
{
	if (!sums[OBJECTS] || more[FIRST_TIME] < sums[FIRST_TIME])
		sums[FIRST_TIME] = more[FIRST_TIME];
	sums[OBJECTS] += more[OBJECTS];
	sums[HIGH_TIMES] += more[HIGH_TIMES];
	sums[LOW_TIMES] += more[LOW_TIMES];
}

static gint64 mean_time(const gint64 *sums)
{
	__int128 all = (__int128)sums[HIGH_TIMES] * (LOW_TIME_MASK + 1) + sums[LOW_TIMES];

	return all / sums[OBJECTS];
}

static gpointer holders_make(GArray *const *arguments)
{
	SlabsWorker *worker = contents_make(arguments);

	worker->holders = tally_new();
	tally_add_by(worker->holders, add_holder);
	return worker;
}

static void count_holder(SlabsWorker *worker, guint place, const AskedOrigin *origin,
			 const gint64 *values)
{
	(void)origin;
	tally_add(worker->holders, &(TallyRow){ (guint64)place << 32 | values[ORIGIN],
						{ 1, values[TIME] >> LOW_TIME_BITS,
						  values[TIME] & LOW_TIME_MASK, values[TIME] } });
}

static void holders_take(gpointer data, const gint64 *values)
{
	take_object(data, values, count_holder);
}

static void holders_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	const SlabsWorker *first = workers[0];
	g_autoptr(GArray) rows = NULL;

	for (guint w = 1; w < SCAN_WORKERS; w++) {
		const SlabsWorker *worker = workers[w];

		tally_merge(first->holders, worker->holders);
	}
	rows = tally_rows(first->holders);
	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);
		gint64 slab = g_array_index(first->contents, Contents, row->key >> 32).id;

		g_array_append_vals(
			values,
			((const gint64[]){ slab, (guint32)row->key, row->sums[OBJECTS],
					   mean_time(row->sums), row->sums[FIRST_TIME] }),
			5);
	}
}

const TableFunction table_slab_holders = {
	.name = "slab_holders",
	.columns = "slab, origin, objects, mean_ns, first_ns",
	.count = 5,
	.arguments = 3,
	.scan = "scan_left",
	.make = holders_make,
	.take = holders_take,
	.free = free_worker,
	.finish = holders_finish,
};
