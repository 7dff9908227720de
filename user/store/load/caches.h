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

/* The tracer calls a cache @kernel_id. */
void caches_add(Caches *caches, guint32 kernel_id, guint32 object_size, const char *name);

/*
 * There is a cache @name; it matters if it is one of kmalloc's, or a bucket. @object_size: what an
 * object takes.
 */
void caches_add_slabinfo(Caches *caches, const char *name, gint64 object_size);

/* The flag @name is @bits in this kernel. Without, allocations that carry it count as plain ones.
 */
void caches_set_flag(Caches *caches, const char *name, guint32 bits);

/* The number of the cache of an event; 0: none known. */
guint32 caches_of(Caches *caches, const struct trace_event *event);

/* Bytes of an object of the cache @id; 0: not known. */
gint64 caches_object_size(const Caches *caches, guint32 id);

/* Writes the table cache. */
void caches_write(const Caches *caches, Db *db);

#endif
