// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks of 512 frames, found by their number. A chunk has one owner for all of it (a huge page), a
 * few runs of frames, or a table with one for each frame; a chunk without owners is freed at once.
 * Runs are for isolated frames: a table for each of them would take much more memory than needed.
 *
 * Regions are 64 chunks, 128 MiB with pages of 4 KiB. A region's owner owns all of its missing
 * chunks, so the time of an operation depends on existing chunks, not on the length of the range.
 *
 * The number of chunks and tables is limited, as page numbers come from a file: to the needs of a
 * machine with 16 TiB, or one with 2 TiB in single pages only.
 *
 * pagemap_set() removes each owner that it meets, so its time is proportional to the calls that
 * added them. pagemap_pair() keeps the owners, and a file may repeat it endlessly. So it has a
 * budget of steps, to which each call adds.
 */
#include "analysis/pairing/pagemap.h"

#include <string.h>

#include "analysis/containers/addrmap.h"

#define CHUNK_SHIFT   9
#define CHUNK_FRAMES  (1U << CHUNK_SHIFT)
#define CHUNKS_MAX    (1U << 23)
#define REGION_SHIFT  6 /* chunks in a region */
#define REGION_CHUNKS (1U << REGION_SHIFT)
#define REGION_FRAMES (REGION_CHUNKS << CHUNK_SHIFT)
#define TABLES_MAX    (1U << 20)
#define RUNS_MAX      4 /* in a chunk without a table */

/*
 * Steps of pagemap_pair(), of some 100 ns. The kernel moves one allocation at a time, which takes
 * two steps; a gigantic page of 1 GiB adds 256 steps and takes 2,000.
 */
#define STEPS_FREE     (1U << 20)
#define STEPS_PER_CALL 16
#define STEP_FRAMES    16 /* entries of a table read in a step */

/* Consecutive frames with one owner. */
typedef struct {
	guint16 first, count; /* in the chunk */
	guint32 owner;
} Frames;

typedef struct {
	guint32 *owners;   /* of each frame; NULL: use the next fields */
	Frames *runs;      /* RUNS_MAX, ascending, unused ones last; NULL: whole owns all */
	guint32 whole;     /* only without owners and runs */
	guint32 used;      /* frames with an owner; only with owners or runs */
	guint32 next_free; /* in the list of unused chunks */
} Chunk;

typedef struct {
	guint32 owner;     /* of missing chunks */
	guint32 chunks;    /* existing ones; a region without owner and chunks is freed */
	guint32 next_free; /* in the list of unused regions */
} Region;

struct PageMap {
	AddrMap *index;        /* chunk number + 1 to index in chunks + 1: neither may be 0 */
	GArray *chunks;        /* of Chunk */
	guint32 free_chunk;    /* index + 1 of the first unused chunk; 0: none */
	AddrMap *region_index; /* region number + 1 to index in regions + 1 */
	GArray *regions;       /* of Region */
	guint32 free_region;   /* as free_chunk */
	guint32 tables;        /* chunks with owners */
	guint32 few;           /* chunks with runs */
	guint64 steps;         /* remaining steps of pagemap_pair() */
};

/* Reports runs of frames with the same owner, not each frame. */
typedef struct {
	PageMapTaken taken;
	gpointer data;
	guint32 owner;
	guint64 pages; /* in the run so far; 0: none yet */
} Run;

PageMap *pagemap_new(void)
{
	PageMap *map = g_new0(PageMap, 1);

	map->index = addrmap_new();
	map->chunks = g_array_new(FALSE, TRUE, sizeof(Chunk));
	map->region_index = addrmap_new();
	map->regions = g_array_new(FALSE, TRUE, sizeof(Region));
	map->steps = STEPS_FREE;
	return map;
}

void pagemap_free(PageMap *map)
{
	if (!map)
		return;
	for (guint i = 0; i < map->chunks->len; i++) {
		g_free(g_array_index(map->chunks, Chunk, i).owners);
		g_free(g_array_index(map->chunks, Chunk, i).runs);
	}
	g_array_unref(map->chunks);
	addrmap_free(map->index);
	g_array_unref(map->regions);
	addrmap_free(map->region_index);
	g_free(map);
}

gsize pagemap_bytes(const PageMap *map)
{
	return addrmap_bytes(map->index) + map->chunks->len * sizeof(Chunk) +
	       addrmap_bytes(map->region_index) + map->regions->len * sizeof(Region) +
	       (gsize)map->tables * CHUNK_FRAMES * sizeof(guint32) +
	       (gsize)map->few * RUNS_MAX * sizeof(Frames);
}

static Chunk *find_chunk(const PageMap *map, guint64 number)
{
	guint32 place = addrmap_get(map->index, number + 1);

	return place ? &g_array_index(map->chunks, Chunk, place - 1) : NULL;
}

/* ---- regions ---- */

static Region *find_region(const PageMap *map, guint64 number)
{
	guint32 place = addrmap_get(map->region_index, number + 1);

	return place ? &g_array_index(map->regions, Region, place - 1) : NULL;
}

static Region *take_region(PageMap *map, guint64 number)
{
	Region *region = find_region(map, number);
	guint32 place = map->free_region;

	if (region)
		return region;
	if (!place) {
		g_array_set_size(map->regions, map->regions->len + 1);
		place = map->regions->len;
	}
	region = &g_array_index(map->regions, Region, place - 1);
	map->free_region = region->next_free;
	*region = (Region){ 0 };
	addrmap_put(map->region_index, number + 1, place);
	return region;
}

static void drop_unused_region(PageMap *map, guint64 number, Region *region)
{
	if (region->owner || region->chunks)
		return;
	region->next_free = map->free_region;
	map->free_region = addrmap_take(map->region_index, number + 1);
}

/* Returns the owner of the missing chunk @number. */
static guint32 owner_without_chunk(const PageMap *map, guint64 number)
{
	const Region *region = find_region(map, number >> REGION_SHIFT);

	return region ? region->owner : PAGEMAP_NOBODY;
}

/* ---- owners ---- */

static guint32 owner_in_runs(const Chunk *chunk, guint frame)
{
	for (guint i = 0; i < RUNS_MAX; i++) {
		const Frames *run = &chunk->runs[i];

		if (frame >= run->first && frame < (guint)run->first + run->count)
			return run->owner;
	}
	return PAGEMAP_NOBODY;
}

guint32 pagemap_owner(const PageMap *map, guint64 pfn)
{
	const Chunk *chunk;

	if (pfn >= PAGEMAP_PFN_END)
		return PAGEMAP_NOBODY;
	chunk = find_chunk(map, pfn >> CHUNK_SHIFT);
	if (!chunk)
		return owner_without_chunk(map, pfn >> CHUNK_SHIFT);
	if (chunk->runs)
		return owner_in_runs(chunk, pfn % CHUNK_FRAMES);
	return chunk->owners ? chunk->owners[pfn % CHUNK_FRAMES] : chunk->whole;
}

static void run_end(Run *run)
{
	if (run->pages)
		run->taken(run->data, run->owner, run->pages);
	run->pages = 0;
}

static void run_add(Run *run, guint32 owner, guint64 pages)
{
	if (run->owner != owner)
		run_end(run);
	run->owner = owner;
	run->pages += pages;
}

static Chunk *add_chunk(PageMap *map, guint64 number)
{
	guint32 place = map->free_chunk;
	Chunk *chunk;

	if (!place) {
		g_array_set_size(map->chunks, map->chunks->len + 1);
		place = map->chunks->len;
	}
	chunk = &g_array_index(map->chunks, Chunk, place - 1);
	map->free_chunk = chunk->next_free;
	*chunk = (Chunk){ NULL };
	addrmap_put(map->index, number + 1, place);
	take_region(map, number >> REGION_SHIFT)->chunks++;
	return chunk;
}

static void drop_tables(PageMap *map, Chunk *chunk)
{
	map->tables -= chunk->owners != NULL;
	map->few -= chunk->runs != NULL;
	g_clear_pointer(&chunk->owners, g_free);
	g_clear_pointer(&chunk->runs, g_free);
}

static void remove_chunk(PageMap *map, guint64 number, Chunk *chunk)
{
	Region *region = find_region(map, number >> REGION_SHIFT);

	drop_tables(map, chunk);
	chunk->next_free = map->free_chunk;
	map->free_chunk = addrmap_take(map->index, number + 1);
	region->chunks--;
	drop_unused_region(map, number >> REGION_SHIFT, region);
}

/* Writes the owners of @chunk to CHUNK_FRAMES @owners that are 0. */
static void spread(const Chunk *chunk, guint32 *owners)
{
	for (guint i = 0; chunk->runs && i < RUNS_MAX; i++) {
		const Frames *run = &chunk->runs[i];

		for (guint n = 0; n < run->count; n++)
			owners[run->first + n] = run->owner;
	}
	for (guint i = 0; !chunk->runs && chunk->whole && i < CHUNK_FRAMES; i++)
		owners[i] = chunk->whole;
}

static void make_table(PageMap *map, Chunk *chunk)
{
	guint32 *owners = g_new0(guint32, CHUNK_FRAMES);

	spread(chunk, owners);
	if (!chunk->runs)
		chunk->used = chunk->whole ? CHUNK_FRAMES : 0;
	drop_tables(map, chunk);
	chunk->owners = owners;
	chunk->whole = PAGEMAP_NOBODY;
	map->tables++;
}

static void report_runs(const Chunk *chunk, guint first, guint end, Run *told)
{
	guint at = first;

	for (guint i = 0; i < RUNS_MAX && chunk->runs[i].count; i++) {
		const Frames *run = &chunk->runs[i];
		guint from = MAX(at, run->first);
		guint to = MIN(end, (guint)run->first + run->count);

		if (from >= to)
			continue;
		if (from > at)
			run_add(told, PAGEMAP_NOBODY, from - at);
		run_add(told, run->owner, to - from);
		at = to;
	}
	if (at < end)
		run_add(told, PAGEMAP_NOBODY, end - at);
}

/* Reports the owners of some frames. @chunk NULL: @owner owns all of it. */
static void report_some(const Chunk *chunk, guint32 owner, guint first, guint count, Run *run)
{
	if (chunk && chunk->runs) {
		report_runs(chunk, first, first + count, run);
		return;
	}
	if (!chunk || !chunk->owners) {
		run_add(run, chunk ? chunk->whole : owner, count);
		return;
	}
	for (guint i = first; i < first + count; i++)
		run_add(run, chunk->owners[i], 1);
}

/* Appends frames to @runs, unless @count is 0; returns the number of runs. */
static guint add_frames(Frames *runs, guint count, guint first, guint end, guint32 owner)
{
	if (first >= end || !owner)
		return count;
	runs[count] = (Frames){ first, end - first, owner };
	return count + 1;
}

/* Computes the runs of a chunk when [@first, @end) has another owner; at most RUNS_MAX + 2. */
static guint replace_frames(const Chunk *chunk, guint first, guint end, guint32 owner, Frames *runs)
{
	gboolean placed = FALSE;
	guint count = 0;

	for (guint i = 0; i < RUNS_MAX && chunk->runs[i].count; i++) {
		const Frames *run = &chunk->runs[i];
		guint run_end = (guint)run->first + run->count;

		count = add_frames(runs, count, run->first, MIN(run_end, first), run->owner);
		if (!placed && run_end > first) {
			count = add_frames(runs, count, first, end, owner);
			placed = TRUE;
		}
		count = add_frames(runs, count, MAX(run->first, end), run_end, run->owner);
	}
	return placed ? count : add_frames(runs, count, first, end, owner);
}

/* Returns FALSE, with nothing changed, if there would be too many runs. */
static gboolean set_runs(Chunk *chunk, guint first, guint count, guint32 owner, Run *told)
{
	Frames runs[RUNS_MAX + 2] = { 0 };

	if (replace_frames(chunk, first, first + count, owner, runs) > RUNS_MAX)
		return FALSE;
	report_runs(chunk, first, first + count, told);
	memcpy(chunk->runs, runs, RUNS_MAX * sizeof(*runs));
	chunk->used = 0;
	for (guint i = 0; i < RUNS_MAX; i++)
		chunk->used += runs[i].count;
	return TRUE;
}

static void set_whole(PageMap *map, guint64 number, guint32 owner, Run *run)
{
	Chunk *chunk = find_chunk(map, number);
	guint32 otherwise = owner_without_chunk(map, number);

	report_some(chunk, otherwise, 0, CHUNK_FRAMES, run);
	if (owner != otherwise) {
		if (!chunk)
			chunk = add_chunk(map, number);
		drop_tables(map, chunk);
		chunk->whole = owner;
	} else if (chunk) {
		remove_chunk(map, number, chunk);
	}
}

static void set_table(PageMap *map, Chunk *chunk, guint first, guint count, guint32 owner, Run *run)
{
	if (!chunk->owners)
		make_table(map, chunk);
	for (guint i = first; i < first + count; i++) {
		run_add(run, chunk->owners[i], 1);
		chunk->used += (owner != 0) - (chunk->owners[i] != 0);
		chunk->owners[i] = owner;
	}
}

static void set_some(PageMap *map, guint64 number, guint first, guint count, guint32 owner,
		     Run *run)
{
	Chunk *chunk = find_chunk(map, number);
	guint32 before = chunk ? PAGEMAP_NOBODY : owner_without_chunk(map, number);

	if (!chunk && owner == before) {
		run_add(run, owner, count);
		return;
	}
	if (!chunk) {
		chunk = add_chunk(map, number);
		chunk->whole = before;
	}
	if (!chunk->owners && !chunk->runs && !chunk->whole) {
		chunk->runs = g_new0(Frames, RUNS_MAX);
		map->few++;
	}
	if (!chunk->runs || !set_runs(chunk, first, count, owner, run))
		set_table(map, chunk, first, count, owner, run);
	if (chunk->used)
		return;
	drop_tables(map, chunk);
	if (!owner_without_chunk(map, number))
		remove_chunk(map, number, chunk);
}

static void set_region(PageMap *map, guint64 number, guint32 owner, Run *run)
{
	Region *region = take_region(map, number);
	guint64 first = number << REGION_SHIFT;

	if (!region->chunks)
		run_add(run, region->owner, REGION_FRAMES);
	else
		region->chunks++; /* keeps it until after the last chunk */
	for (guint i = 0; region->chunks && i < REGION_CHUNKS; i++) {
		Chunk *chunk = find_chunk(map, first + i);

		report_some(chunk, region->owner, 0, CHUNK_FRAMES, run);
		if (chunk)
			remove_chunk(map, first + i, chunk);
	}
	region->chunks = 0;
	region->owner = owner;
	drop_unused_region(map, number, region);
}

/*
 * Returns whether more chunks fit. An unaligned range has two ends, each of which may need a table.
 */
static gboolean has_room(const PageMap *map, guint64 pages, guint tables)
{
	guint64 chunks = addrmap_count(map->index) + addrmap_count(map->region_index) +
			 (pages >> CHUNK_SHIFT) + tables;

	return chunks <= CHUNKS_MAX && map->tables + tables <= TABLES_MAX;
}

static gboolean is_range(guint64 pfn, guint order)
{
	return order <= PAGEMAP_ORDER_MAX &&
	       pfn <= PAGEMAP_PFN_END - (G_GUINT64_CONSTANT(1) << order);
}

/* Returns whether a whole region begins at @pfn, before @end. */
static gboolean is_region(guint64 pfn, guint64 end)
{
	return pfn % REGION_FRAMES == 0 && end - pfn >= REGION_FRAMES;
}

static void set_range(PageMap *map, guint64 pfn, guint64 pages, guint32 owner, Run *run)
{
	guint64 end = pfn + pages;

	while (pfn < end) {
		guint first = pfn % CHUNK_FRAMES;
		guint count = MIN(end - pfn, CHUNK_FRAMES - first);

		if (is_region(pfn, end)) {
			set_region(map, pfn / REGION_FRAMES, owner, run);
			count = REGION_FRAMES;
		} else if (count == CHUNK_FRAMES) {
			set_whole(map, pfn >> CHUNK_SHIFT, owner, run);
		} else {
			set_some(map, pfn >> CHUNK_SHIFT, first, count, owner, run);
		}
		pfn += count;
	}
}

gboolean pagemap_set(PageMap *map, guint64 pfn, guint order, guint32 owner, PageMapTaken taken,
		     gpointer data)
{
	Run run = { .taken = taken, .data = data };

	map->steps += STEPS_PER_CALL;
	if (!is_range(pfn, order) || (owner && !has_room(map, G_GUINT64_CONSTANT(1) << order, 2)))
		return FALSE;
	set_range(map, pfn, G_GUINT64_CONSTANT(1) << order, owner, &run);
	run_end(&run);
	return TRUE;
}

/* ---- two ranges at once ---- */

static void ignore_taken(gpointer data, guint32 owner, guint64 pages)
{
	(void)data;
	(void)owner;
	(void)pages;
}

/* Consecutive frames. */
typedef struct {
	guint32 owner;
	guint64 pages;
} Stretch;

/* A PageMapTaken. */
static void add_stretch(gpointer data, guint32 owner, guint64 pages)
{
	Stretch stretch = { owner, pages };

	g_array_append_val((GArray *)data, stretch);
}

/* Returns whether some of the region at @pfn may not have its owner. */
static gboolean has_chunks(const PageMap *map, guint64 pfn)
{
	const Region *region = find_region(map, pfn / REGION_FRAMES);

	return region && region->chunks;
}

/* Returns FALSE if too few steps remain. */
static gboolean take_steps(PageMap *map, guint64 steps)
{
	gboolean enough = map->steps >= steps;

	map->steps = enough ? map->steps - steps : 0;
	return enough;
}

/* Adds the owners of the frames from @pfn on, up to @end or to the end of the region or chunk. */
static guint64 add_stretches(const PageMap *map, guint64 pfn, guint64 end, Run *run, guint64 *steps)
{
	guint first = pfn % CHUNK_FRAMES;
	guint count = MIN(end - pfn, CHUNK_FRAMES - first);
	guint32 owner = owner_without_chunk(map, pfn >> CHUNK_SHIFT);
	const Chunk *chunk;

	*steps = 1;
	if (is_region(pfn, end) && !has_chunks(map, pfn)) {
		run_add(run, owner, REGION_FRAMES);
		return REGION_FRAMES;
	}
	chunk = find_chunk(map, pfn >> CHUNK_SHIFT);
	report_some(chunk, owner, first, count, run);
	if (chunk && chunk->owners)
		*steps += count / STEP_FRAMES;
	return count;
}

/*
 * Returns the owners of frames, of Stretch, by huge or gigantic pages where possible. NULL if that
 * takes too many steps.
 */
static GArray *stretches_of(PageMap *map, guint64 pfn, guint64 pages)
{
	g_autoptr(GArray) stretches = g_array_new(FALSE, FALSE, sizeof(Stretch));
	Run run = { .taken = add_stretch, .data = stretches };
	guint64 end = pfn + pages;

	while (pfn < end) {
		guint before = stretches->len;
		guint64 steps;

		pfn += add_stretches(map, pfn, end, &run, &steps);
		if (!take_steps(map, steps + stretches->len - before))
			return NULL;
	}
	run_end(&run);
	return g_steal_pointer(&stretches);
}

/* Sets frames of one owner at once, so that a huge page stays one word. */
static void set_stretches(PageMap *map, guint64 pfn, const GArray *stretches)
{
	Run run = { .taken = ignore_taken };
	guint64 pages;

	for (guint i = 0, end; i < stretches->len; i = end, pfn += pages) {
		guint32 owner = g_array_index(stretches, Stretch, i).owner;

		pages = 0;
		for (end = i; end < stretches->len; end++) {
			if (g_array_index(stretches, Stretch, end).owner != owner)
				break;
			pages += g_array_index(stretches, Stretch, end).pages;
		}
		set_range(map, pfn, pages, owner, &run);
	}
}

/* Calls @paired for all pairs, and leaves the new owners in @one and @two. */
static void pair_stretches(GArray **one, GArray **two, PageMapPaired paired, gpointer data)
{
	GArray *ones = g_array_new(FALSE, FALSE, sizeof(Stretch));
	GArray *twos = g_array_new(FALSE, FALSE, sizeof(Stretch));

	for (guint i = 0, k = 0; i < (*one)->len;) {
		Stretch *x = &g_array_index(*one, Stretch, i);
		Stretch *y = &g_array_index(*two, Stretch, k);
		guint64 pages = MIN(x->pages, y->pages);
		Stretch a = { x->owner, pages }, b = { y->owner, pages };

		paired(data, &a.owner, &b.owner, pages);
		g_array_append_val(ones, a);
		g_array_append_val(twos, b);
		x->pages -= pages;
		y->pages -= pages;
		i += !x->pages;
		k += !y->pages;
	}
	g_array_unref(*one);
	g_array_unref(*two);
	*one = ones;
	*two = twos;
}

static void pair_frames(PageMap *map, guint64 pfn, guint64 other, PageMapPaired paired,
			gpointer data)
{
	guint32 owner = pagemap_owner(map, pfn), others = pagemap_owner(map, other);
	Run run = { .taken = ignore_taken };

	paired(data, &owner, &others, 1);
	set_range(map, pfn, 1, owner, &run);
	set_range(map, other, 1, others, &run);
}

static gboolean pair_ranges(PageMap *map, guint64 pfn, guint64 other, guint64 pages,
			    PageMapPaired paired, gpointer data)
{
	g_autoptr(GArray) one = stretches_of(map, pfn, pages);
	g_autoptr(GArray) two = one ? stretches_of(map, other, pages) : NULL;

	if (!two)
		return FALSE;
	pair_stretches(&one, &two, paired, data);
	set_stretches(map, pfn, one);
	set_stretches(map, other, two);
	return TRUE;
}

gboolean pagemap_pair(PageMap *map, guint64 pfn, guint64 other, guint order, PageMapPaired paired,
		      gpointer data)
{
	guint64 pages = G_GUINT64_CONSTANT(1) << MIN(order, PAGEMAP_ORDER_MAX);
	guint tables = 4 + (2 * pages >> CHUNK_SHIFT); /* owners may change within a chunk */

	map->steps += STEPS_PER_CALL;
	if (!is_range(pfn, order) || !is_range(other, order) || !has_room(map, 2 * pages, tables) ||
	    MAX(pfn, other) - MIN(pfn, other) < pages)
		return FALSE;
	if (pages > 1)
		return pair_ranges(map, pfn, other, pages, paired, data);
	pair_frames(map, pfn, other, paired, data);
	return TRUE;
}
