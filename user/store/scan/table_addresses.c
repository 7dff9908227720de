// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of allocations by address: of slab objects, and of pages. */
#include "analysis/containers/tally.h"
#include "store/scan/asked_origin.h"
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

#define CLASS_BITS 20

/* Columns of scan_addresses.sql. */
enum { ORIGIN, ADDR, TIME, PLACE, FREE_PLACE, ENDING };

typedef struct {
	GArray *origins; /* of AskedOrigin */
	guint64 base;    /* of addresses in words */
	Tally *tally;
} AddressesWorker;

static AddressesWorker *worker_new(const GArray *argument)
{
	AddressesWorker *worker = g_new0(AddressesWorker, 1);

	worker->origins = asked_origin_read(argument);
	worker->tally = tally_new();
	return worker;
}

static void worker_free(gpointer data)
{
	AddressesWorker *worker = data;

	g_array_unref(worker->origins);
	tally_free(worker->tally);
	g_free(worker);
}

static GArray *all_rows(gpointer const workers[SCAN_WORKERS])
{
	const AddressesWorker *first = workers[0];

	for (guint w = 1; w < SCAN_WORKERS; w++) {
		const AddressesWorker *worker = workers[w];

		tally_merge(first->tally, worker->tally);
	}
	return tally_rows(first->tally);
}

/* ---- slab_addresses(origins, base): the values are allocated and requested bytes ---- */

static gpointer slab_make(GArray *const *arguments)
{
	AddressesWorker *worker = worker_new(arguments[0]);

	if (arguments[1]->len)
		worker->base = g_array_index(arguments[1], gint64, 0);
	return worker;
}

#define SLAB_SUMS                                                                                  \
	4 /* of an address: hits, allocated bytes, requested bytes, freed on another CPU */

static void slab_take(gpointer data, const gint64 *values)
{
	const AddressesWorker *worker = data;
	const AskedOrigin *origin = asked_origin_find(worker->origins, values[ORIGIN]);
	guint64 addr = lifetime_addr(worker->base, values[ADDR], values[ENDING]);
	gboolean moved;

	if (!origin)
		return;
	moved = lifetime_state(values[ENDING]) == LIFETIME_FREED &&
		values[FREE_PLACE] != SCAN_NULL &&
		lifetime_is_elsewhere(values[PLACE], values[FREE_PLACE]);
	tally_add(worker->tally,
		  &(TallyRow){ addr, { 1, origin->values[0], origin->values[1], moved } });
}

static void slab_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	g_autoptr(GArray) rows = all_rows(workers);

	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);

		g_array_append_vals(values, &row->key, 1);
		g_array_append_vals(values, row->sums, SLAB_SUMS);
	}
}

const TableFunction table_slab_addresses = {
	.name = "slab_addresses",
	.columns = "addr, hit, bytes_alloc, bytes_req, pingpong",
	.count = 5,
	.arguments = 2,
	.scan = "scan_addresses",
	.make = slab_make,
	.take = slab_take,
	.free = worker_free,
	.finish = slab_finish,
};

/* ---- page_frames(origins): the values are the number of a class, and bytes ---- */

/* Sums of a frame and class; the last two are of the latest allocation. */
enum { HITS, BYTES, LATEST, LATEST_ORIGIN };

static void add_latest(gint64 *sums, const gint64 *more)
{
	if (!sums[HITS] || more[LATEST] > sums[LATEST]) {
		sums[LATEST] = more[LATEST];
		sums[LATEST_ORIGIN] = more[LATEST_ORIGIN];
	}
	sums[HITS] += more[HITS];
	sums[BYTES] += more[BYTES];
}

static gpointer page_make(GArray *const *arguments)
{
	AddressesWorker *worker = worker_new(arguments[0]);

	tally_add_by(worker->tally, add_latest);
	return worker;
}

static void page_take(gpointer data, const gint64 *values)
{
	const AddressesWorker *worker = data;
	const AskedOrigin *origin = asked_origin_find(worker->origins, values[ORIGIN]);

	if (!origin)
		return;
	tally_add(worker->tally,
		  &(TallyRow){ (guint64)values[ADDR] << CLASS_BITS | origin->values[0],
			       { 1, origin->values[1], values[TIME], values[ORIGIN] } });
}

static void page_finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	g_autoptr(GArray) rows = all_rows(workers);

	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);
		const gint64 one[] = { row->key >> CLASS_BITS, row->key & ((1 << CLASS_BITS) - 1),
				       row->sums[HITS], row->sums[BYTES],
				       row->sums[LATEST_ORIGIN] };

		g_array_append_vals(values, one, G_N_ELEMENTS(one));
	}
}

const TableFunction table_page_frames = {
	.name = "page_frames",
	.columns = "pfn, class, hits, bytes, latest_origin",
	.count = 5,
	.arguments = 1,
	.scan = "scan_addresses",
	.make = page_make,
	.take = page_take,
	.free = worker_free,
	.finish = page_finish,
};
