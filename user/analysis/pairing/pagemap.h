/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner of each page frame. Pages are allocated at one order and freed at another, or in parts,
 * so ownership is kept by frame and not by block.
 *
 * Memory is proportional to the owned frames: a region of 32768 frames with one owner costs a few
 * words, as does a block of 512 frames with one owner or few owned frames; a mixed block costs a
 * table, and one without owners nothing. Time is proportional to the owners that are met, not to
 * the length of a block.
 */
#ifndef KMT_ANALYSIS_PAIRING_PAGEMAP_H
#define KMT_ANALYSIS_PAIRING_PAGEMAP_H

#include <glib.h>

#define PAGEMAP_PFN_END   (G_GUINT64_CONSTANT(1) << 52) /* no machine has more frames */
#define PAGEMAP_ORDER_MAX 20                            /* above every kernel's MAX_ORDER */
#define PAGEMAP_NOBODY    0U

typedef struct PageMap PageMap;

PageMap *pagemap_new(void);
void pagemap_free(PageMap *map); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PageMap, pagemap_free)

guint32 pagemap_owner(const PageMap *map, guint64 pfn);

/* @pages consecutive frames had @owner (possibly PAGEMAP_NOBODY). It must not change the map. */
typedef void (*PageMapTaken)(gpointer data, guint32 owner, guint64 pages);

/*
 * Makes @owner (PAGEMAP_NOBODY: frees them) the owner of 2^@order frames from @pfn on, and calls
 * @taken for their previous owners in order of frames, maybe several times for one owner. FALSE,
 * with nothing changed, if the range is invalid or the map holds more tables than any machine
 * needs.
 */
gboolean pagemap_set(PageMap *map, guint64 pfn, guint order, guint32 owner, PageMapTaken taken,
		     gpointer data);

/*
 * @pages consecutive frames have *@owner, and the others *@other. The function stores their new
 * owners there.
 */
typedef void (*PageMapPaired)(gpointer data, guint32 *owner, guint32 *other, guint64 pages);

/*
 * Calls @paired for pairs of frames: 2^@order from @pfn on, and as many from @other on, in order.
 * It must not change the map. FALSE, with nothing changed, if a range is invalid, they overlap, the
 * map is full, or calls moved far more owners than a kernel migrates.
 */
gboolean pagemap_pair(PageMap *map, guint64 pfn, guint64 other, guint order, PageMapPaired paired,
		      gpointer data);

/* Returns the bytes of the map. */
gsize pagemap_bytes(const PageMap *map);

#endif
