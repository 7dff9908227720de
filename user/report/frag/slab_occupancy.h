/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How full slabs were over their lives: the share of their room that was live, weighted by time,
 * from when a slab's pages were allocated to when they were freed, or the trace ended. An object
 * counts from its allocation to its free, wherever in that time it lies.
 *
 * A slab whose share is below a quarter was nearly empty for most of its life. Its bytes are shared
 * out among the call sites of its objects, by how long these were there: that is what they pin.
 */
#ifndef KMT_REPORT_FRAG_SLAB_OCCUPANCY_H
#define KMT_REPORT_FRAG_SLAB_OCCUPANCY_H

#include "store/store.h"

typedef struct {
	char *caches; /* rows for frag_slab_lives.sql */
	char *sites;  /* rows for frag_slab_pins.sql */
} SlabOccupancy;

/* *@lives is for slab_occupancy_clear(), also after an error. */
gboolean slab_occupancy_read(StoreDb *db, SlabOccupancy *lives, GError **error);
void slab_occupancy_clear(SlabOccupancy *lives);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SlabOccupancy, slab_occupancy_clear)

#endif
