/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Origins: all that events have in common but for their time, address and thread. There are
 * thousands of them where there are millions of events, so a lifetime names two, and what a person
 * calls "the caller" is found out once for each. Also keeps the totals by origin. Private to the
 * store.
 */
#ifndef KMT_STORE_ORIGINS_H
#define KMT_STORE_ORIGINS_H

#include "analysis/pair.h"
#include "store/caches.h"
#include "store/frames.h"

typedef struct Origins Origins;

/* @frames and @caches must outlive it. @page_size in bytes. */
Origins *origins_new(Frames *frames, Caches *caches, guint64 page_size);
void origins_free(Origins *origins);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Origins, origins_free)

/* The kernel's stack @id is @addrs, innermost first. All before the first event. */
void origins_add_stack(Origins *origins, guint32 id, const guint64 *addrs, guint depth);

/* The number of the origin of an event. */
guint32 origins_of(Origins *origins, const struct trace_event *event);

/* TRUE if its stack shows the slab allocator getting pages or giving them back. */
gboolean origins_is_slab_backing(const Origins *origins, guint32 origin);

void origins_count_lifetime(Origins *origins, const PairLifetime *lifetime);
void origins_count_unmatched(Origins *origins, guint32 origin, PairClass class, guint64 pages);
void origins_count_failed(Origins *origins, guint32 origin);

/* Writes the tables stack, origin, alloc_total, unmatched and failed. */
void origins_write(const Origins *origins, Db *db);

#endif
