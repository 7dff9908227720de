// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads read all lifetimes twice: the pages of slabs, and then their objects. Page frames may
 * be in blocks of any order: a hash of the first frame of a block finds its slabs, which follow one
 * another in time. Objects are summed by slab and call site, so memory depends on the slabs, not
 * the objects.
 */
#include "report/frag/slab_occupancy.h"

#include <string.h>

#include "analysis/containers/hash.h"
#include "analysis/containers/tally.h"
#include "analysis/pairing/pair.h"
#include "base/compare.h"
#include "base/seed.h"
#include "store/query/scan.h"
#include "store/query/temp_table.h"
#include "store/scan/lifetime.h"

#define NONE      G_MAXUINT32
#define ORDER_MAX 10 /* of a slab; none has more than 5 */
#define QUARTERS  4

/* Columns of slab_life.sql. */
enum { ADDR, TIME, LIFETIME, ORIGIN, ENDING };

typedef struct {
	guint32 bytes, site, cache;
	guint8 order, account;
	gboolean is_object;
} Origin;

/* From /proc/slabinfo; 0: missing. */
typedef struct {
	guint32 object_size, objects, pages;
} Cache;

typedef struct {
	gint64 pfn, time_ns, end_ns;
	guint32 origin;
} Slab;

/*
 * The pages of a slab. Sorted by first frame, order and time; the hash is by first frame and order,
 * not by each frame: only few of them may have an object.
 */
typedef struct {
	gint64 pfn, time_ns;
	guint32 slab;
	guint8 order;
} Block;

/* Contents of a slab. */
typedef struct {
	guint64 object_ns;
	guint32 cache, object_size; /* maxima: a slab has only one */
} Held;

typedef struct {
	guint32 origins, caches; /* the highest numbers */
	gint64 span_ns, page_size, linear_base;
	gboolean is_known; /* the trace shows the contents of slabs: see the view slab_lives */
	Origin *origin;
	Cache *cache;
	GArray *slabs, *blocks; /* of Slab, Block */
	guint32 *places;        /* hash: index of the first in @blocks, or NONE */
	gsize places_size;      /* a power of two */
	guint32 orders;         /* bitmap of the orders of blocks */
} Occupancy;

typedef struct {
	const Occupancy *occupancy;
	GArray *slabs; /* of Slab, while reading */
	Held *held;    /* by slab */
	Tally *pairs;  /* by slab << 32 | call site */
} OccupancyWorker;

/* Sums of a pair. */
enum { PAIR_OBJECTS, PAIR_OBJECT_NS };

static void occupancy_clear(Occupancy *occupancy)
{
	g_free(occupancy->origin);
	g_free(occupancy->cache);
	g_free(occupancy->places);
	g_clear_pointer(&occupancy->slabs, g_array_unref);
	g_clear_pointer(&occupancy->blocks, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Occupancy, occupancy_clear)

/* ---- names and sizes ---- */

static void take_limits(StoreRows *rows, gpointer data)
{
	Occupancy *occupancy = data;

	occupancy->origins = CLAMP(store_rows_int(rows, 0), 0, G_MAXINT32);
	occupancy->caches = CLAMP(store_rows_int(rows, 1), 0, G_MAXINT32);
	occupancy->span_ns = MAX(store_rows_int(rows, 2), 0);
	occupancy->page_size = MAX(store_rows_int(rows, 3), 1);
	occupancy->linear_base = store_rows_int(rows, 4);
	occupancy->is_known = store_rows_int(rows, 5) != 0;
	occupancy->origin = g_new0(Origin, (gsize)occupancy->origins + 1);
	occupancy->cache = g_new0(Cache, (gsize)occupancy->caches + 1);
}

static void take_origin(StoreRows *rows, gpointer data)
{
	const Occupancy *occupancy = data;
	gint64 id = store_rows_int(rows, 0);

	if (id < 0 || id > occupancy->origins)
		return;
	occupancy->origin[id] = (Origin){
		.is_object = store_rows_int(rows, 1) != 0,
		.bytes = CLAMP(store_rows_int(rows, 2), 0, G_MAXINT32),
		.order = CLAMP(store_rows_int(rows, 3), 0, ORDER_MAX),
		.account = store_rows_int(rows, 4),
		.site = store_rows_int(rows, 5),
		.cache = CLAMP(store_rows_int(rows, 6), 0, occupancy->caches),
	};
}

static void take_cache(StoreRows *rows, gpointer data)
{
	const Occupancy *occupancy = data;
	gint64 id = store_rows_int(rows, 0);

	if (id >= 0 && id <= occupancy->caches)
		occupancy->cache[id] = (Cache){ store_rows_int(rows, 1), store_rows_int(rows, 2),
						store_rows_int(rows, 3) };
}

/* ---- slabs ---- */

static gint64 end_of(const Occupancy *occupancy, const gint64 *values)
{
	return values[LIFETIME] == SCAN_NULL ? occupancy->span_ns : values[TIME] + values[LIFETIME];
}

static void take_slab(gpointer data, const gint64 *values)
{
	OccupancyWorker *worker = data;
	Slab slab = { values[ADDR], values[TIME], end_of(worker->occupancy, values),
		      values[ORIGIN] };

	if (lifetime_backing(values[ENDING]) == PAIR_BACKING_SLAB && values[ORIGIN] >= 0 &&
	    values[ORIGIN] <= worker->occupancy->origins && slab.pfn >= 0)
		g_array_append_val(worker->slabs, slab);
}

static gint compare_slabs(gconstpointer a, gconstpointer b)
{
	const Slab *x = a, *y = b;

	return COMPARE(x->pfn, y->pfn) ?: COMPARE(x->time_ns, y->time_ns);
}

static gboolean is_same(const Block *x, const Block *y)
{
	return x->pfn == y->pfn && x->order == y->order;
}

static gint compare_blocks(gconstpointer a, gconstpointer b)
{
	const Block *x = a, *y = b;

	return COMPARE(x->pfn, y->pfn)
		       ?: COMPARE(x->order, y->order)
		       ?: COMPARE(x->time_ns, y->time_ns)
		       ?: COMPARE(x->slab, y->slab);
}

static gsize power_above(gsize count)
{
	gsize size = 64;

	while (size < count * 2)
		size *= 2;
	return size;
}

/* Returns the hash slot of slabs of this block, or the free one where it belongs. */
static gsize find_block(const Occupancy *occupancy, gint64 pfn, guint8 order)
{
	gsize at = hash_mix((guint64)pfn << 4 | order) & (occupancy->places_size - 1);

	for (; occupancy->places[at] != NONE; at = (at + 1) & (occupancy->places_size - 1)) {
		const Block *block =
			&g_array_index(occupancy->blocks, Block, occupancy->places[at]);

		if (block->pfn == pfn && block->order == order)
			break;
	}
	return at;
}

/* Blocks of an order are aligned to their size. */
static gint64 start_of(gint64 pfn, guint8 order)
{
	return pfn >> order << order;
}

static void index_blocks(Occupancy *occupancy)
{
	for (guint i = 0; i < occupancy->slabs->len; i++) {
		const Slab *slab = &g_array_index(occupancy->slabs, Slab, i);
		guint8 order = occupancy->origin[slab->origin].order;
		Block block = { start_of(slab->pfn, order), slab->time_ns, i, order };

		g_array_append_val(occupancy->blocks, block);
		occupancy->orders |= 1U << order;
	}
	g_array_sort(occupancy->blocks, compare_blocks);
	occupancy->places_size = power_above(occupancy->blocks->len);
	occupancy->places = g_new(guint32, occupancy->places_size);
	memset(occupancy->places, 0xff, occupancy->places_size * sizeof(*occupancy->places));
	for (guint i = 0; i < occupancy->blocks->len; i++) {
		const Block *block = &g_array_index(occupancy->blocks, Block, i);

		if (!i || !is_same(block - 1, block))
			occupancy->places[find_block(occupancy, block->pfn, block->order)] = i;
	}
}

/* Returns whether @block exists, has the same pages as @first, and began by @time_ns. */
static gboolean is_begun(const Block *block, const Block *end, const Block *first, gint64 time_ns)
{
	return block < end && is_same(block, first) && block->time_ns <= time_ns;
}

/* Returns the last block of @order that contained @pfn and began by @time_ns, or NULL. */
static const Block *find_begun(const Occupancy *occupancy, gint64 pfn, guint8 order, gint64 time_ns)
{
	const Block *blocks = (const Block *)occupancy->blocks->data;
	const Block *end = blocks + occupancy->blocks->len;
	guint32 place = occupancy->places[find_block(occupancy, start_of(pfn, order), order)];
	const Block *first, *last;
	gsize step = 1;

	if (place == NONE || blocks[place].time_ns > time_ns)
		return NULL;
	/* Galloping search for the last block that began in time: steps double, and then halve. */
	for (first = last = blocks + place; is_begun(last + step, end, first, time_ns); step *= 2)
		last += step;
	for (; step; step /= 2) {
		if (is_begun(last + step, end, first, time_ns))
			last += step;
	}
	return last;
}

/* Returns the slab that contained @pfn at @time_ns, or NONE. */
static guint32 find_slab(const Occupancy *occupancy, gint64 pfn, gint64 time_ns)
{
	const Block *latest = NULL;

	for (guint8 order = 0; order <= ORDER_MAX; order++) {
		const Block *block = occupancy->orders >> order & 1
					     ? find_begun(occupancy, pfn, order, time_ns)
					     : NULL;

		if (block && (!latest || block->time_ns > latest->time_ns ||
			      (block->time_ns == latest->time_ns && block->slab > latest->slab)))
			latest = block;
	}
	if (!latest || g_array_index(occupancy->slabs, Slab, latest->slab).end_ns < time_ns)
		return NONE;
	return latest->slab;
}

/* ---- objects ---- */

static void held_add(Held *held, const Held *more)
{
	held->object_ns += more->object_ns;
	held->cache = MAX(held->cache, more->cache);
	held->object_size = MAX(held->object_size, more->object_size);
}

static void take_object(gpointer data, const gint64 *values)
{
	OccupancyWorker *worker = data;
	const Occupancy *occupancy = worker->occupancy;
	gint64 id = values[ORIGIN], offset, end_ns = end_of(occupancy, values);
	const Origin *origin;
	guint32 slab;
	Held held;

	if (lifetime_backing(values[ENDING]) || id < 0 || id > occupancy->origins ||
	    !occupancy->origin[id].is_object)
		return;
	origin = &occupancy->origin[id];
	/* Unsigned: an address below the linear base has a frame without a slab. */
	offset = (gint64)(lifetime_addr(occupancy->linear_base, values[ADDR], values[ENDING]) -
			  occupancy->linear_base);
	if (offset < 0)
		return;
	slab = find_slab(occupancy, offset / occupancy->page_size, values[TIME]);
	if (slab == NONE)
		return;
	end_ns = MIN(end_ns, g_array_index(occupancy->slabs, Slab, slab).end_ns);
	held = (Held){ MAX(end_ns - values[TIME], 0), origin->cache, origin->bytes };
	held_add(&worker->held[slab], &held);
	tally_add(worker->pairs,
		  &(TallyRow){ (guint64)slab << 32 | origin->site, { 1, (gint64)held.object_ns } });
}

/* Adds up into the first worker. */
static void add_up(OccupancyWorker *workers, guint slabs)
{
	for (guint w = 1; w < SCAN_WORKERS; w++) {
		for (guint i = 0; i < slabs; i++)
			held_add(&workers[0].held[i], &workers[w].held[i]);
		tally_merge(workers[0].pairs, workers[w].pairs);
	}
}

/* ---- results ---- */

/* A slab and its occupancy. */
typedef struct {
	double bytes, life_ns, room_ns, object_ns, share;
	guint32 cache;
	guint8 account;
} Look;

/* Returns how many objects of its cache fit in a slab; 0: no object was seen in it. */
static guint32 room_of(const Occupancy *occupancy, const Origin *slab, const Held *held)
{
	const Cache *cache = &occupancy->cache[held->cache];
	guint32 size = cache->object_size ? cache->object_size : held->object_size;

	if (!held->object_size)
		return 0;
	return cache->pages == 1U << slab->order ? cache->objects : MAX(slab->bytes / size, 1);
}

static Look occupancy_of(const Occupancy *occupancy, guint i, const Held *held)
{
	const Slab *slab = &g_array_index(occupancy->slabs, Slab, i);
	const Origin *origin = &occupancy->origin[slab->origin];
	guint32 room = room_of(occupancy, origin, held);
	Look look = { .bytes = origin->bytes, .cache = held->cache, .account = origin->account };

	look.life_ns = MAX(slab->end_ns - slab->time_ns, 0);
	look.object_ns = held->object_ns;
	/* The capacity of a slab without objects is unknown; it is empty. */
	look.room_ns = look.life_ns * MAX(room, 1);
	look.share = look.room_ns > 0 ? look.object_ns / look.room_ns : room > 0;
	return look;
}

/* A row: a cache and an account, or these and a call site. */
typedef struct {
	guint32 site, cache, account, slabs, objects;
	guint32 quarters[QUARTERS];
	double byte_ns, room_ns, object_ns, slab_object_ns, life_ns;
} Group;

/* Returns the group of a key, which is added if it is new. */
static Group *group_of(GArray *groups, GHashTable *places, guint32 site, const Look *look)
{
	g_autofree char *key = g_strdup_printf("%u %u %u", site, look->cache, look->account);
	gpointer place = g_hash_table_lookup(places, key);

	if (!place) {
		Group group = { .site = site, .cache = look->cache, .account = look->account };

		g_array_append_val(groups, group);
		place = GUINT_TO_POINTER(groups->len);
		g_hash_table_insert(places, g_steal_pointer(&key), place);
	}
	return &g_array_index(groups, Group, GPOINTER_TO_UINT(place) - 1);
}

static gboolean give_caches(StoreDb *db, const Occupancy *occupancy, const Held *held,
			    GError **error)
{
	g_autoptr(TempTable) table = temp_table_new(
		"slab_caches", "cache, account, slabs, below_25, below_50, below_75, above_75, "
			       "byte_ns, room_ns, object_ns, life_ns");
	g_autoptr(GHashTable) places = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	g_autoptr(GArray) groups = g_array_new(FALSE, TRUE, sizeof(Group));

	for (guint i = 0; i < occupancy->slabs->len; i++) {
		Look look = occupancy_of(occupancy, i, &held[i]);
		Group *group = group_of(groups, places, 0, &look);

		group->slabs++;
		group->quarters[CLAMP((int)(look.share * QUARTERS), 0, QUARTERS - 1)]++;
		group->byte_ns += look.bytes * look.life_ns;
		group->room_ns += look.room_ns;
		group->object_ns += look.object_ns;
		group->life_ns += look.life_ns;
	}
	for (guint i = 0; i < groups->len; i++) {
		const Group *group = &g_array_index(groups, Group, i);

		TEMP_TABLE_ADD(table, group->cache, group->account, group->slabs,
			       group->quarters[0], group->quarters[1], group->quarters[2],
			       group->quarters[3]);
		temp_table_add_real(table, group->byte_ns);
		temp_table_add_real(table, group->room_ns);
		temp_table_add_real(table, group->object_ns);
		temp_table_add_real(table, group->life_ns);
	}
	return temp_table_create(table, db, error);
}

/* Sorts the pairs, so that sums are always the same. */
static gboolean give_sites(StoreDb *db, const Occupancy *occupancy, const Held *held, Tally *pairs,
			   GError **error)
{
	g_autoptr(TempTable) table =
		temp_table_new("slab_sites", "origin, cache, account, slabs, objects, pinned, "
					     "object_ns, room_ns, slab_object_ns");
	g_autoptr(GHashTable) places = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	g_autoptr(GArray) groups = g_array_new(FALSE, TRUE, sizeof(Group));
	g_autoptr(GArray) rows = tally_rows(pairs);

	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *pair = &g_array_index(rows, TallyRow, i);
		guint32 slab = pair->key >> 32, site = (guint32)pair->key;
		guint64 object_ns = pair->sums[PAIR_OBJECT_NS];
		Look look = occupancy_of(occupancy, slab, &held[slab]);
		Group *group;

		if (!object_ns || look.share * QUARTERS >= 1)
			continue;
		group = group_of(groups, places, site, &look);
		group->slabs++;
		group->objects += pair->sums[PAIR_OBJECTS];
		group->byte_ns += look.bytes * look.life_ns * object_ns / look.object_ns;
		group->object_ns += object_ns;
		group->room_ns += look.room_ns;
		group->slab_object_ns += look.object_ns;
	}
	for (guint i = 0; i < groups->len; i++) {
		const Group *group = &g_array_index(groups, Group, i);

		TEMP_TABLE_ADD(table, group->site, group->cache, group->account, group->slabs,
			       group->objects);
		temp_table_add_real(table, group->byte_ns);
		temp_table_add_real(table, group->object_ns);
		temp_table_add_real(table, group->room_ns);
		temp_table_add_real(table, group->slab_object_ns);
	}
	return temp_table_create(table, db, error);
}

/* ---- entry point ---- */

static gboolean read_slabs(StoreDb *db, Occupancy *occupancy, OccupancyWorker *workers,
			   GError **error)
{
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = (OccupancyWorker){ .occupancy = occupancy };
		workers[i].slabs = g_array_new(FALSE, FALSE, sizeof(Slab));
	}
	fine = !occupancy->is_known ||
	       store_scan(db, "slab_life", NULL, take_slab, workers, sizeof(*workers), error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_array_append_vals(occupancy->slabs, workers[i].slabs->data,
				    workers[i].slabs->len);
		g_array_unref(workers[i].slabs);
	}
	g_array_sort(occupancy->slabs, compare_slabs);
	index_blocks(occupancy);
	return fine;
}

static gboolean read_objects(StoreDb *db, const Occupancy *occupancy, OccupancyWorker *workers,
			     GError **error)
{
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i].held = g_new0(Held, occupancy->slabs->len + 1);
		workers[i].pairs = tally_new();
	}
	return !occupancy->slabs->len ||
	       store_scan(db, "slab_life", NULL, take_object, workers, sizeof(*workers), error);
}

gboolean slab_occupancy_read(StoreDb *db, GError **error)
{
	g_auto(Occupancy) occupancy = { 0 };
	OccupancyWorker workers[SCAN_WORKERS];
	gboolean fine;

	occupancy.slabs = g_array_new(FALSE, FALSE, sizeof(Slab));
	occupancy.blocks = g_array_new(FALSE, FALSE, sizeof(Block));
	if (!store_each(db, "slab_life_limits", NULL, take_limits, &occupancy, error) ||
	    !store_each(db, "slab_life_origins", NULL, take_origin, &occupancy, error) ||
	    !store_each(db, "slab_life_caches", NULL, take_cache, &occupancy, error) ||
	    !read_slabs(db, &occupancy, workers, error))
		return FALSE;
	fine = read_objects(db, &occupancy, workers, error);
	if (fine) {
		add_up(workers, occupancy.slabs->len);
		fine = give_caches(db, &occupancy, workers[0].held, error) &&
		       give_sites(db, &occupancy, workers[0].held, workers[0].pairs, error);
	}
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_free(workers[i].held);
		tally_free(workers[i].pairs);
	}
	return fine;
}
