/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table from addresses to numbers, for live allocations. Optimized for one lookup per event
 * and frequent insertion and removal.
 */
#ifndef KMT_ANALYSIS_CONTAINERS_ADDRMAP_H
#define KMT_ANALYSIS_CONTAINERS_ADDRMAP_H

#include <glib.h>

typedef struct AddrMap AddrMap;

AddrMap *addrmap_new(void);
void addrmap_free(AddrMap *map); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AddrMap, addrmap_free)

/* Returns the value of @key, 0 if there is none. @key must not be 0 (here and below). */
guint32 addrmap_get(const AddrMap *map, guint64 key);

/* Sets the value of @key to @value, which is not 0. Returns the old one, or 0. */
guint32 addrmap_put(AddrMap *map, guint64 key, guint32 value);

/* Removes @key. Returns its value, 0 if there was none. */
guint32 addrmap_take(AddrMap *map, guint64 key);

/* Prefetches the slot of @key for a later lookup. */
void addrmap_prefetch(const AddrMap *map, guint64 key);

/* Returns the value in the first slot of @key, which may belong to another key; or 0. */
guint32 addrmap_guess(const AddrMap *map, guint64 key);

gsize addrmap_count(const AddrMap *map);
gsize addrmap_bytes(const AddrMap *map); /* memory in use */

#endif
