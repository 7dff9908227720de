// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out, by the slab caches and stacks of suspects, when their memory is freed. */
#include "report/leaks/suspect.h"

/*
 * The kernel purges lazily freed areas of vmalloc space when they reach CACHES_LAZY_BYTES times the
 * number of bits in the number of processors. The smallest area has a page and a guard page, and
 * takes two objects if it was cut out of a free area.
 */
#define CACHES_LAZY_BYTES   (32 << 20)
#define CACHES_AREA_PAGES   2
#define CACHES_AREA_OBJECTS 2

/* Values of suspects_caches.sql. */
typedef enum { DELAY_NONE, DELAY_AREA, DELAY_KEPT, DELAYS } Delay;

typedef struct {
	guint8 reclaimable, delay;
} CacheOfOrigin;

/* Live objects of a suspect. */
typedef struct {
	gint64 all, reclaimable, delayed[DELAYS];
} Objects;

typedef struct {
	CacheOfOrigin *all; /* by origin */
	gint64 count;
} Caches;

static void take_cache(StoreRows *rows, gpointer data)
{
	const Caches *caches = data;
	gint64 id = store_rows_int(rows, 0), delay = store_rows_int(rows, 2);

	if (id >= 0 && id < caches->count && delay >= 0 && delay < DELAYS)
		caches->all[id] = (CacheOfOrigin){ store_rows_int(rows, 1) != 0, (guint8)delay };
}

static void count_objects(const Suspects *suspects, const Caches *caches, Objects *objects)
{
	g_autoptr(GArray) rows = tally_rows(suspects->held);

	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);
		const CacheOfOrigin *cache = &caches->all[suspects_held_origin(row)];
		guint32 number = suspects_held_number(suspects, row);
		Objects *sums;

		if (number == GROUPS_NONE)
			continue;
		sums = &objects[number];
		sums->all += row->sums[0];
		sums->reclaimable += cache->reclaimable ? row->sums[0] : 0;
		sums->delayed[cache->delay] += row->sums[0];
	}
}

/* Returns how many objects of areas the kernel may free later. */
static gint64 most_areas(const Suspects *suspects)
{
	gint64 bytes = (gint64)CACHES_LAZY_BYTES * g_bit_storage(suspects->cpus);
	gint64 page_size = MAX(suspects->live->groups.page_size, 1);

	return bytes / (CACHES_AREA_PAGES * page_size) * CACHES_AREA_OBJECTS;
}

gboolean suspects_read_caches(Suspects *suspects, GError **error)
{
	Caches caches = { .count = (gint64)suspects->live->groups.origins + 1 };
	g_autofree CacheOfOrigin *all = g_new0(CacheOfOrigin, caches.count);
	g_autofree Objects *objects = g_new0(Objects, suspects->all->len + 1);
	gint64 areas = most_areas(suspects);

	caches.all = all;
	if (!store_each(suspects->live->db, "suspects_caches", NULL, take_cache, &caches, error))
		return FALSE;
	count_objects(suspects, &caches, objects);
	for (guint i = 0; i < suspects->all->len; i++) {
		LeakGroup *facts = &suspect_at(suspects, i)->facts;
		const Objects *sums = &objects[i];
		gint64 area = sums->delayed[DELAY_AREA];

		facts->reclaimable |= 2 * sums->reclaimable > sums->all;
		facts->delayed =
			2 * ((area <= areas ? area : 0) + sums->delayed[DELAY_KEPT]) > sums->all;
	}
	return TRUE;
}
