/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slab caches of the running kernel, by name. The allocator merges caches with similar objects:
 * one cache, with the name of the first, then holds the objects of all of them. /proc/slabinfo
 * lists only that one; /sys/kernel/slab has a link for each name.
 */
#ifndef KMT_CAPTURE_TRACER_SLABNAMES_H
#define KMT_CAPTURE_TRACER_SLABNAMES_H

#include <glib.h>

typedef struct SlabNames SlabNames;

/*
 * Reads the current caches. For slabnames_free(). Without slabinfo or /sys/kernel/slab, some or all
 * are missing.
 */
SlabNames *slabnames_read(void);

/*
 * The same from the text of slabinfo and from lines as slabnames_links_text() returns; NULL: none.
 */
SlabNames *slabnames_new(const char *slabinfo, const char *links);

void slabnames_free(SlabNames *names); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SlabNames, slabnames_free)

/* Returns FALSE if the list of caches can't be read. */
gboolean slabnames_known(const SlabNames *names);

/*
 * Returns the name, as in the kernel's events, of the cache that holds the objects of the cache
 * @name, which is another one if it was merged. NULL: none. Owned by @names.
 */
const char *slabnames_find(const SlabNames *names, const char *name);

/*
 * Returns the other names of caches that share the slabs of @name, as "a, b", for g_free(); NULL:
 * none.
 */
char *slabnames_shared(const SlabNames *names, const char *name);

/* Returns the bytes from one object of the cache @name of slabinfo to the next; 0: not known. */
guint64 slabnames_object_size(const SlabNames *names, const char *name);

/* Returns all names, of slabinfo and of links, in a NULL-terminated array owned by @names. */
const char *const *slabnames_all(const SlabNames *names);

/*
 * Returns lines "slabs name": names with the same slabs belong to merged caches. ":a-name name" is
 * a cache that was not merged, and whose objects count as reclaimable. For g_free().
 */
char *slabnames_links_text(void);

#endif
