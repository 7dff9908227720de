/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slab occupancy over time: the time-weighted share of a slab's capacity that was live, from the
 * allocation of its pages to their free or the end of the trace. An object counts from its
 * allocation to its free.
 *
 * A slab whose share is below a quarter was nearly empty for most of its life. Its bytes are
 * divided among the call sites of its objects in proportion to their time in it: the bytes that
 * they pin.
 */
#ifndef KMT_REPORT_FRAG_SLAB_OCCUPANCY_H
#define KMT_REPORT_FRAG_SLAB_OCCUPANCY_H

#include "store/store.h"

/* Creates the tables slab_caches and slab_sites, for frag_slab_lives.sql and frag_slab_pins.sql. */
gboolean slab_occupancy_read(StoreDb *db, GError **error);

#endif
