// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks of 512 frames, found by their number. A chunk has one owner for all of it (a huge page) or
 * a table with one for each frame; one without any owner is given back at once.
 *
 * The number of chunks and tables has a limit, as page numbers come from a file: it is what a
 * machine of 16 TiB, or one of 2 TiB all in single pages, needs.
 */
#include "analysis/pagemap.h"

#include "analysis/addrmap.h"

#define CHUNK_SHIFT	9
#define CHUNK_FRAMES	(1U << CHUNK_SHIFT)
#define CHUNKS_MAX	(1U << 23)
#define TABLES_MAX	(1U << 20)

typedef struct {
	guint32 *owners;	/* of each frame; NULL: whole owns all */
	guint32 whole;		/* only without owners */
	guint32 used;		/* frames that have an owner; only with owners */
	guint32 next_free;	/* in the list of chunks that are out of use */
} Chunk;

struct PageMap {
	AddrMap *index;		/* chunk number + 1 to place in chunks + 1: neither may be 0 */
	GArray *chunks;		/* of Chunk */
	guint32 free_chunk;	/* place + 1 of the first out of use; 0: none */
	guint32 tables;		/* chunks that have owners */
};

/* Tells runs of frames with the same owner, not each frame. */
typedef struct {
	PageMapTaken taken;
	gpointer data;
	guint32 owner;
	guint64 pages;		/* in the run so far; 0: none yet */
} Run;

PageMap *pagemap_new(void)
{
	PageMap *map = g_new0(PageMap, 1);

	map->index = addrmap_new();
	map->chunks = g_array_new(FALSE, TRUE, sizeof(Chunk));
	return map;
}

void pagemap_free(PageMap *map)
{
	if (!map)
		return;
	for (guint i = 0; i < map->chunks->len; i++)
		g_free(g_array_index(map->chunks, Chunk, i).owners);
	g_array_unref(map->chunks);
	addrmap_free(map->index);
	g_free(map);
}

gsize pagemap_bytes(const PageMap *map)
{
	return addrmap_bytes(map->index) + map->chunks->len * sizeof(Chunk) +
	       (gsize)map->tables * CHUNK_FRAMES * sizeof(guint32);
}

static Chunk *find_chunk(const PageMap *map, guint64 number)
{
	guint32 place = addrmap_get(map->index, number + 1);

	return place ? &g_array_index(map->chunks, Chunk, place - 1) : NULL;
}

guint32 pagemap_owner(const PageMap *map, guint64 pfn)
{
	const Chunk *chunk = pfn < PAGEMAP_PFN_END ? find_chunk(map, pfn >> CHUNK_SHIFT) : NULL;

	if (!chunk)
		return PAGEMAP_NOBODY;
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
	return chunk;
}

static void drop_table(PageMap *map, Chunk *chunk)
{
	if (!chunk->owners)
		return;
	g_clear_pointer(&chunk->owners, g_free);
	map->tables--;
}

static void remove_chunk(PageMap *map, guint64 number, Chunk *chunk)
{
	drop_table(map, chunk);
	chunk->next_free = map->free_chunk;
	map->free_chunk = addrmap_take(map->index, number + 1);
}

static void make_table(PageMap *map, Chunk *chunk)
{
	chunk->owners = g_new0(guint32, CHUNK_FRAMES);
	chunk->used = chunk->whole ? CHUNK_FRAMES : 0;
	for (guint i = 0; chunk->whole && i < CHUNK_FRAMES; i++)
		chunk->owners[i] = chunk->whole;
	chunk->whole = PAGEMAP_NOBODY;
	map->tables++;
}

static void tell_chunk(const Chunk *chunk, Run *run)
{
	if (!chunk->owners) {
		run_add(run, chunk->whole, CHUNK_FRAMES);
		return;
	}
	for (guint i = 0; i < CHUNK_FRAMES; i++)
		run_add(run, chunk->owners[i], 1);
}

static void set_whole(PageMap *map, guint64 number, guint32 owner, Run *run)
{
	Chunk *chunk = find_chunk(map, number);

	if (chunk)
		tell_chunk(chunk, run);
	else
		run_add(run, PAGEMAP_NOBODY, CHUNK_FRAMES);
	if (owner) {
		if (!chunk)
			chunk = add_chunk(map, number);
		drop_table(map, chunk);
		chunk->whole = owner;
	} else if (chunk) {
		remove_chunk(map, number, chunk);
	}
}

static void set_some(PageMap *map, guint64 number, guint first, guint count, guint32 owner,
		     Run *run)
{
	Chunk *chunk = find_chunk(map, number);

	if (!chunk && !owner) {
		run_add(run, PAGEMAP_NOBODY, count);
		return;
	}
	if (!chunk)
		chunk = add_chunk(map, number);
	if (!chunk->owners)
		make_table(map, chunk);
	for (guint i = first; i < first + count; i++) {
		run_add(run, chunk->owners[i], 1);
		chunk->used += (owner != 0) - (chunk->owners[i] != 0);
		chunk->owners[i] = owner;
	}
	if (!chunk->used)
		remove_chunk(map, number, chunk);
}

/* An unaligned range has two ends, each of which may need a table. */
static gboolean has_room(const PageMap *map, guint64 pages, guint tables)
{
	guint64 chunks = addrmap_count(map->index) + (pages >> CHUNK_SHIFT) + tables;

	return chunks <= CHUNKS_MAX && map->tables + tables <= TABLES_MAX;
}

static gboolean is_range(guint64 pfn, guint order)
{
	return order <= PAGEMAP_ORDER_MAX &&
	       pfn <= PAGEMAP_PFN_END - (G_GUINT64_CONSTANT(1) << order);
}

static void set_range(PageMap *map, guint64 pfn, guint64 pages, guint32 owner, Run *run)
{
	guint64 end = pfn + pages;

	while (pfn < end) {
		guint first = pfn % CHUNK_FRAMES;
		guint count = MIN(end - pfn, CHUNK_FRAMES - first);

		if (count == CHUNK_FRAMES)
			set_whole(map, pfn >> CHUNK_SHIFT, owner, run);
		else
			set_some(map, pfn >> CHUNK_SHIFT, first, count, owner, run);
		pfn += count;
	}
}

gboolean pagemap_set(PageMap *map, guint64 pfn, guint order, guint32 owner, PageMapTaken taken,
		     gpointer data)
{
	Run run = { .taken = taken, .data = data };

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

/* Runs of one owner are set at once, so that a huge page stays one word. */
static void set_owners(PageMap *map, guint64 pfn, guint64 pages, const guint32 *owners)
{
	Run run = { .taken = ignore_taken };

	for (guint64 i = 0, end; i < pages; i = end) {
		for (end = i + 1; end < pages && owners[end] == owners[i]; end++)
			;
		set_range(map, pfn + i, end - i, owners[i], &run);
	}
}

gboolean pagemap_pair(PageMap *map, guint64 pfn, guint64 other, guint order, PageMapPaired paired,
		      gpointer data)
{
	guint64 pages = G_GUINT64_CONSTANT(1) << MIN(order, PAGEMAP_ORDER_MAX);
	guint tables = 4 + (2 * pages >> CHUNK_SHIFT);	/* owners may change within a chunk */
	guint32 one[2], *owners = one, *others;

	if (!is_range(pfn, order) || !is_range(other, order) ||
	    !has_room(map, 2 * pages, tables) ||
	    MAX(pfn, other) - MIN(pfn, other) < pages)
		return FALSE;
	if (pages > 1)
		owners = g_new(guint32, 2 * pages);
	others = owners + pages;
	for (guint64 i = 0; i < pages; i++) {
		owners[i] = pagemap_owner(map, pfn + i);
		others[i] = pagemap_owner(map, other + i);
		paired(data, &owners[i], &others[i]);
	}
	set_owners(map, pfn, pages, owners);
	set_owners(map, other, pages, others);
	if (owners != one)
		g_free(owners);
	return TRUE;
}
