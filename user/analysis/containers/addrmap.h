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

/* The value of @key, 0 if it has none. @key must not be 0 (here and below). */
guint32 addrmap_get(const AddrMap *map, guint64 key);

/* Gives @key the value @value, which isn't 0. Returns the old one, or 0. */
guint32 addrmap_put(AddrMap *map, guint64 key, guint32 value);

/* Takes @key out. Returns its value, 0 if it had none. */
guint32 addrmap_take(AddrMap *map, guint64 key);

/* Fetches the slot of @key into the cache: it will be asked for soon. */
void addrmap_prefetch(const AddrMap *map, guint64 key);

/* The value in the first slot of @key, which may be another key's, or 0. */
guint32 addrmap_guess(const AddrMap *map, guint64 key);

gsize addrmap_count(const AddrMap *map);
gsize addrmap_bytes(const AddrMap *map); /* memory that it takes */

#endif
