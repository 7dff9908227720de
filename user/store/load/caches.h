/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers slab caches: those that the tracer names, and those of kmallocs without a name. Private
 * to the store.
 */
#ifndef KMT_STORE_LOAD_CACHES_H
#define KMT_STORE_LOAD_CACHES_H

#include "store/schema/db.h"
#include "trace/event/event.h"

typedef struct Caches Caches;

Caches *caches_new(void);
void caches_free(Caches *caches); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Caches, caches_free)

/* Adds the cache with the tracer's id @kernel_id. */
void caches_add(Caches *caches, guint32 kernel_id, guint32 object_size, const char *name);

/*
 * Adds the cache @name of slabinfo; only kmalloc's own and buckets matter. @object_size: bytes of
 * an object.
 */
void caches_add_slabinfo(Caches *caches, const char *name, gint64 object_size);

/*
 * Sets the bits of the gfp flag @name in this kernel. Without them, allocations with the flag count
 * as plain ones.
 */
void caches_set_flag(Caches *caches, const char *name, guint32 bits);

/* Returns the number of an event's cache; 0: unknown. */
guint32 caches_of(Caches *caches, const struct trace_event *event);

/* Returns the bytes of an object of the cache @id; 0: unknown. */
gint64 caches_object_size(const Caches *caches, guint32 id);

/* Writes the table cache. */
void caches_write(const Caches *caches, Db *db);

#endif
