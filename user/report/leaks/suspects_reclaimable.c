// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/suspect.h"

#include "base/compare.h"
#include "base/sorted.h"
#include "store/query/scan.h"

#define RECLAIMABLE 0x80 /* in @origins; below it is the order + 1; 0: no pages */

typedef struct {
	guint8 *origins; /* by number */
	gint64 count;
	GArray *slabs; /* of Slab, ascending */
} Pages;

typedef struct {
	guint64 first, end; /* pages */
	gboolean reclaimable;
} Slab;

typedef struct {
	const Pages *pages;
	GArray *slabs;
} SlabWorker;

enum { SLAB_ORIGIN, SLAB_PAGE };

static void take_origin(StoreRows *rows, gpointer data)
{
	Pages *pages = data;
	gint64 id = store_rows_int(rows, 0);

	if (id >= 0 && id < pages->count)
		pages->origins[id] = (guint8)((store_rows_int(rows, 1) + 1) |
					      (store_rows_int(rows, 2) ? RECLAIMABLE : 0));
}

/* A ScanFunc. */
static void take_slab(gpointer data, const gint64 *values)
{
	SlabWorker *worker = data;
	gint64 origin = values[SLAB_ORIGIN];
	guint8 pages =
		origin < 0 || origin >= worker->pages->count ? 0 : worker->pages->origins[origin];
	Slab slab = { .first = (guint64)values[SLAB_PAGE] };

	if (!pages)
		return;
	slab.end = slab.first + (G_GUINT64_CONSTANT(1) << ((pages & ~RECLAIMABLE) - 1));
	slab.reclaimable = (pages & RECLAIMABLE) != 0;
	g_array_append_val(worker->slabs, slab);
}

static gint by_page(gconstpointer a, gconstpointer b)
{
	const Slab *one = a, *other = b;

	return COMPARE(one->first, other->first);
}

static gboolean read_slabs(StoreDb *db, Pages *pages, GError **error)
{
	SlabWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = (SlabWorker){ pages, g_array_new(FALSE, FALSE, sizeof(Slab)) };
	fine = store_scan(db, "scan_slab_pages", NULL, take_slab, workers, sizeof(*workers), error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		g_array_append_vals(pages->slabs, workers[i].slabs->data, workers[i].slabs->len);
		g_array_unref(workers[i].slabs);
	}
	g_array_sort(pages->slabs, by_page);
	return fine;
}

/* Returns the slab with @page; NULL: none that was allocated in the trace. */
static const Slab *find_slab(const GArray *slabs, guint64 page)
{
	guint count = SORTED_COUNT(slabs, Slab, first, page);
	const Slab *last = count ? &g_array_index(slabs, Slab, count - 1) : NULL;

	return last && page < last->end ? last : NULL;
}

/*
 * Returns whether most of its known pages are reclaimable; objects have the pages of their slabs.
 */
static gboolean is_reclaimable(const Suspect *suspect, const Pages *pages)
{
	guint known = 0, reclaimable = 0;

	for (guint i = 0; i < SUSPECT_PAGES; i++) {
		guint64 page = suspect->pages[i];

		if (page && suspect->group->kind == TRACE_PAGE) {
			known++;
			reclaimable +=
				page < (guint64)pages->count && pages->origins[page] & RECLAIMABLE;
		} else if (page) {
			const Slab *slab = find_slab(pages->slabs, page);

			known += slab != NULL;
			reclaimable += slab && slab->reclaimable;
		}
	}
	return 2 * reclaimable > known;
}

gboolean suspects_read_reclaimable(Suspects *suspects, GError **error)
{
	StoreDb *db = suspects->live->db;
	Pages pages = { .count = (gint64)suspects->live->groups.origins + 1 };
	gboolean fine;

	pages.origins = g_new0(guint8, pages.count);
	pages.slabs = g_array_new(FALSE, FALSE, sizeof(Slab));
	fine = store_each(db, "suspects_pages", NULL, take_origin, &pages, error) &&
	       read_slabs(db, &pages, error);
	for (guint i = 0; i < suspects->all->len; i++)
		suspect_at(suspects, i)->facts.reclaimable =
			is_reclaimable(suspect_at(suspects, i), &pages);
	g_array_unref(pages.slabs);
	g_free(pages.origins);
	return fine;
}
